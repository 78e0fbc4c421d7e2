/** Load of this process, and whether it can accept more. */
import { z } from 'zod';
import { routes } from '../route.ts';

export const loadReport = z.object({
  /** New relayed requests are refused until the process has recovered. */
  shedding: z.boolean(),
  /** Relayed requests on their way. */
  running: z.int(),
  /** Relayed requests refused for overload since the start. */
  refused: z.int(),
  /** Smoothed delay of the event loop, milliseconds; above 200 it sheds. */
  delay: z.int(),
  /** Used share of the memory that the process may have, 0 to 1; above 0.85 it sheds. */
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
