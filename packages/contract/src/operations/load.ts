/** Load of this process, and whether it sheds requests. */
import { z } from 'zod';
import { routes } from '../route.ts';

export const loadReport = z.object({
  /** True while the process refuses new relayed requests because of overload. */
  shedding: z.boolean(),
  /** Relayed requests in progress. */
  running: z.int(),
  /** Relayed requests refused for overload since the start. */
  refused: z.int(),
  /** Smoothed delay of the event loop in milliseconds; above 200 the process sheds requests. */
  delay: z.int(),
  /** Used share of the available memory, 0 to 1; above 0.85 the process sheds requests. */
  memory: z.number(),
});
export type Load = z.output<typeof loadReport>;

export const load = routes({
  get: {
    method: 'GET',
    path: '/api/load',
    access: 'overview.read',
    summary: 'Retrieve the running requests and whether new requests are refused because of overload',
    answer: loadReport,
  },
});
