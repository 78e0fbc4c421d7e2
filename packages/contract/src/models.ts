import { z } from 'zod';
import { price } from './prices.ts';
import { routes } from './route.ts';

const availableModel = z.object({
  /** Groups that may call it. */
  groups: z.array(z.string()),
  owned_by: z.string(),
  /** Null when no price covers it; the default price then applies. */
  price: price.nullable(),
});

export const models = routes({
  available: {
    method: 'GET',
    path: '/api/available_model',
    access: 'anyone',
    summary: "Models of the public groups and the caller's own, by name",
    answer: z.record(z.string(), availableModel),
  },
  own: {
    method: 'GET',
    path: '/api/user/models',
    access: 'user',
    summary: 'Names of the models that the caller may use',
    answer: z.array(z.string()),
  },
});
