-- wrk -s requests.lua URL -- PATH DEPTH: sends DEPTH requests for PATH at once, and the next when all have been answered.
-- Prints the totals as one line of JSON.

function init(arguments)
  local path, depth = arguments[1], tonumber(arguments[2])
  local one = wrk.format("GET", path)
  local all = {}
  for i = 1, depth do all[i] = one end
  batch = table.concat(all)
end

function request()
  return batch
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '\nresult {"requests": %d, "seconds": %.6f, "wrong": %d, "socket_errors": %d, "timeouts": %d, ' ..
    '"latency_us": {"p50": %.1f, "p99": %.1f, "p999": %.1f, "max": %.1f}}\n',
    summary.requests, summary.duration / 1e6, e.status, e.connect + e.read + e.write, e.timeout,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9), latency.max))
end
