import { z } from 'zod';

const text = z.string().max(4096);

/** Result of `navigator.credentials.get`, as JSON. */
export const assertion = z.looseObject({
  id: text,
  rawId: text,
  type: z.literal('public-key'),
  response: z.looseObject({
    clientDataJSON: text,
    authenticatorData: text,
    signature: text,
    userHandle: text.nullish(),
  }),
});
export type Assertion = z.output<typeof assertion>;
