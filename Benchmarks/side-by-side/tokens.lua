-- A wrk script: each request has the next credential of the file TOKENS, and the next App Check token of the file
-- APP_TOKENS, if there is one. HEADER is the start of the header line of the credential. PATH_FORMAT is a path with a
-- place for the number of the credential, instead of the path of the URL.
local requests, at = {}, 0
local path = os.getenv("PATH_FORMAT")
local name, prefix = (os.getenv("HEADER") or "Authorization: Bearer "):match("^([^:]+): (.*)$")

function init()
  local apps = os.getenv("APP_TOKENS") and io.lines(os.getenv("APP_TOKENS"))
  for line in io.lines(os.getenv("TOKENS")) do
    requests[#requests + 1] = wrk.format("GET", path and path:format(#requests), {
      [name] = prefix .. line,
      ["X-Firebase-AppCheck"] = apps and apps(),
      ["Accept"] = "application/json",
      ["User-Agent"] = "wrk",
    })
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
