-- A wrk script: each request has the next credential of the file TOKENS. HEADER is the start of the header line.
local tokens, at = {}, 0
local name, prefix = (os.getenv("HEADER") or "Authorization: Bearer "):match("^([^:]+): (.*)$")

function init()
  for line in io.lines(os.getenv("TOKENS")) do
    tokens[#tokens + 1] = wrk.format("GET", nil, {
      [name] = prefix .. line,
      ["Accept"] = "application/json",
      ["User-Agent"] = "wrk",
    })
  end
end

function request()
  at = at % #tokens + 1
  return tokens[at]
end
