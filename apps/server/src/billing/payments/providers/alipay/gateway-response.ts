/** Answers are signed over the exact bytes of their inner object: https://opendocs.alipay.com/common/02mse7 */
import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { parseJsonText, tryParseJson } from '../../read-response.ts';
import { verifySha256 } from '../../rsa.ts';

const outcome = z.object({
  code: z.string(),
  msg: z.string().optional(),
  sub_code: z.string().optional(),
  sub_msg: z.string().optional(),
});
export type Outcome = z.output<typeof outcome>;

export interface GatewayResponse {
  outcome: Outcome;
  /** JSON; undefined when the answer is not signed, as refusals may be. */
  signed: string | undefined;
}

/** @throws Error when it is not of the documented form, or its signature is wrong */
export function parseGatewayResponse(text: string, method: string, key: KeyObject): GatewayResponse {
  const own = extractInnerObject(text, `${method.replaceAll('.', '_')}_response`);
  const inner = own ?? extractInnerObject(text, 'error_response');
  if (inner === undefined) throw new Error('Alipay returned a response in an undocumented format');
  const { sign } = parseJsonText(text, z.object({ sign: z.string().optional() }));
  if (sign !== undefined && !verifySha256(inner, sign, key))
    throw new Error('The signature of the response does not match the configured Alipay public key');
  return { outcome: parseJsonText(inner, outcome), signed: sign === undefined ? undefined : inner };
}

/** The text of an object as it stands there, which is what is signed; the first one of that name. */
function extractInnerObject(text: string, name: string): string | undefined {
  const start = new RegExp(`^\\s*\\{(?:\\s*"sign"\\s*:\\s*"[^"]*"\\s*,)?\\s*"${name}"\\s*:\\s*`).exec(text)?.[0].length;
  if (start === undefined) return undefined;
  // The object ends where what has been read is JSON for the first time.
  for (let end = text.indexOf('}', start); end !== -1; end = text.indexOf('}', end + 1)) {
    const inner = text.slice(start, end + 1);
    if (tryParseJson(inner) !== undefined) return inner;
  }
  return undefined;
}
