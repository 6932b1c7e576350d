// Requests one URL with USERS users without pauses (RATE=0), or at RATE requests per second.
import http from 'k6/http';

const { URL, USERS, SECONDS, RATE } = __ENV;
const duration = `${SECONDS}s`;

export const options = +RATE > 0
  ? {
      scenarios: {
        rate: {
          executor: 'constant-arrival-rate',
          rate: +RATE,
          timeUnit: '1s',
          duration,
          preAllocatedVUs: +USERS,
          maxVUs: +USERS,
        },
      },
    }
  : { vus: +USERS, duration };

export default function () {
  http.get(URL);
}
