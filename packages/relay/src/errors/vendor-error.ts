/** Error in its vendor's form, for clients that read the same shape. */
import type { JsonObject } from '../json/json.ts';

/** Error shapes that clients and vendors may share; `own` is any other dialect's. */
export type ErrorShape = 'openai' | 'anthropic' | 'google' | 'own';

export interface VendorError {
  /** Shape of the error object; undefined if no client reads it. */
  shape: Exclude<ErrorShape, 'own'> | undefined;
  /** HTTP status, or the equivalent of an error inside a 200. */
  status: number;
  /** Error object without secrets and account data; empty if its shape is unknown. */
  error: JsonObject;
  /** Message without secrets and account data. */
  message: string;
  code: string | undefined;
  param: string | undefined;
  /** Request id that Anthropic repeats in the body. */
  requestId: string | undefined;
}
