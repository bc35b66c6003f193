-- A wrk script: each request has the next ID token of the file TOKENS, and the next App Check token of the file
-- APP_TOKENS, if that is not empty.
local requests, at = {}, 0

local function lines(name)
  local found, file = {}, os.getenv(name)
  if file and file ~= "" then
    for line in io.lines(file) do found[#found + 1] = line end
  end
  return found
end

function init()
  local apps = lines("APP_TOKENS")
  for index, token in ipairs(lines("TOKENS")) do
    requests[index] = wrk.format("GET", nil, {
      ["Authorization"] = "Bearer " .. token,
      ["X-Firebase-AppCheck"] = apps[index],
      ["Accept"] = "application/json",
      ["User-Agent"] = "wrk",
    })
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
