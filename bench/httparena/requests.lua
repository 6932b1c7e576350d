-- wrk -s requests.lua URL -- DEPTH LAST FILE...: sends the requests of the files in turn, DEPTH at once. If LAST is not 0, each
-- LASTth request asks the server to close its connection after it, so that one lasts LAST requests on average.

local batches, closing, last, sent = {}, {}, 0, 0

function init(arguments)
  local depth = tonumber(arguments[1])
  last = tonumber(arguments[2])
  for i = 3, #arguments do
    local file = assert(io.open(arguments[i], "rb"))
    local one = file:read("*a")
    file:close()
    batches[#batches + 1] = string.rep(one, depth)
    closing[#closing + 1] = (one:gsub("\r\n", "\r\nConnection: close\r\n", 1))
  end
end

function request()
  sent = sent + 1
  local which = (sent - 1) % #batches + 1
  if last > 0 and sent % last == 0 then return closing[which] end
  return batches[which]
end
