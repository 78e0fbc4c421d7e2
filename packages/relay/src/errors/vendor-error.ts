/** An error as its vendor wrote it, for a client that reads the same shape. */
import type { JsonObject } from '../json/json.ts';

/** The shapes in which a client and a vendor can agree; dialects with one of their own are `own`. */
export type ErrorShape = 'openai' | 'anthropic' | 'google' | 'own';

export interface VendorError {
  /** Shape of the error object; undefined for one that no client reads. */
  shape: Exclude<ErrorShape, 'own'> | undefined;
  /** The HTTP status, or the one that an error inside a 200 should have had. */
  status: number;
  /** The error's object without secrets and the operator's account data; empty when the shape is unknown. */
  error: JsonObject;
  /** The error object without secrets and account data. */
  message: string;
  code: string | undefined;
  param: string | undefined;
  /** The id of the request that Anthropic repeats in the body. */
  requestId: string | undefined;
}
