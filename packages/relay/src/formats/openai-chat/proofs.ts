import type { Proof } from '../../proof.ts';

/** What the proofs in `reasoning_details` are unless they say otherwise: whoever answered in this dialect made them. */
export const signed: Omit<Proof, 'value'> = { origin: 'openai-chat', kind: 'signature' };
export const redacted: Omit<Proof, 'value'> = { origin: 'openai-chat', kind: 'redacted' };
