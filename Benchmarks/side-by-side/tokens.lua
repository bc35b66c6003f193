-- wrk: every request carries the next token of the file that TOKENS names.
local tokens, at = {}, 0

function init()
  for line in io.lines(os.getenv("TOKENS")) do
    tokens[#tokens + 1] = wrk.format("GET", nil, {
      ["Authorization"] = "Bearer " .. line,
      ["Accept"] = "application/json",
      ["User-Agent"] = "wrk",
    })
  end
end

function request()
  at = at % #tokens + 1
  return tokens[at]
end
