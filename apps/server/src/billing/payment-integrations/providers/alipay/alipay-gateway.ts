/** Calls the open platform's gateway: https://opendocs.alipay.com/common/02kf5p */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import {
  InvalidConfigError,
  PaymentProviderError,
  type ProviderConfig,
  type ProviderEnvironment,
} from '../../payment-provider.ts';
import { formatChinaTime, parseJsonText, sanitizeVendorMessage, tryParseJson } from '../../payment-vendor-payloads.ts';
import { readPrivateKey, readPublicKey, signSha256, verifySha256 } from '../../rsa-signatures.ts';

const DONE = '10000';
/** "Try again later" in its two forms: the call may have been executed. */
const UNAVAILABLE = '20000';

export interface AlipayKeys {
  appId: string;
  privateKey: KeyObject;
  /** Alipay's public key. */
  publicKey: KeyObject;
}

/** @throws InvalidConfigError */
export function readAlipayKeys(config: ProviderConfig): AlipayKeys {
  const privateKey = readPrivateKey(config['private_key'] ?? '');
  if (privateKey === undefined) throw new InvalidConfigError('private_key', 'This is not an RSA2 private key');
  const publicKey = readPublicKey(config['public_key'] ?? '');
  if (publicKey === undefined) throw new InvalidConfigError('public_key', 'This is not an RSA2 public key');
  if (createPublicKey(privateKey).equals(publicKey))
    throw new InvalidConfigError(
      'public_key',
      'This is the public key of the app. Enter the Alipay public key instead.',
    );
  return { appId: config['app_id'] ?? '', privateKey, publicKey };
}

/** Final refusal by the gateway. */
export class AlipayError extends PaymentProviderError {
  readonly subCode: string;

  constructor(subCode: string, message: string) {
    super(message);
    this.subCode = subCode;
  }
}

export interface AlipayGateway {
  /** Returns the address of the payment page, which contains all parameters. */
  pageUrl(method: string, content: object, returnUrl: string): string;
  /** @throws AlipayError; any other error without a clear response */
  call<S extends z.ZodType>(method: string, content: object, schema: S): Promise<z.output<S>>;
}

const systemErrors = /SYSTEM_ERROR$|^isp\./;

export function createAlipayGateway(
  { appId, privateKey, publicKey }: AlipayKeys,
  environment: ProviderEnvironment,
): AlipayGateway {
  const address = environment.sandbox
    ? 'https://openapi-sandbox.dl.alipaydev.com/gateway.do'
    : 'https://openapi.alipay.com/gateway.do';
  const paramsOf = (method: string, content: object, more: Record<string, string> = {}) =>
    signParams(
      {
        app_id: appId,
        method,
        format: 'JSON',
        charset: 'utf-8',
        sign_type: 'RSA2',
        timestamp: formatChinaTime(environment.clock.now()).replace('T', ' '),
        version: '1.0',
        notify_url: environment.notifyUrl,
        ...more,
        biz_content: JSON.stringify(content),
      },
      privateKey,
    );
  return {
    pageUrl: (method, content, returnUrl) =>
      `${address}?${new URLSearchParams(paramsOf(method, content, { return_url: returnUrl })).toString()}`,
    async call(method, content, schema) {
      const { biz_content: bizContent = '', ...common } = paramsOf(method, content);
      const answer = await environment.fetch(`${address}?${new URLSearchParams(common).toString()}`, {
        method: 'POST',
        body: new URLSearchParams({ biz_content: bizContent }),
        redirect: 'error',
      });
      if (!answer.ok) throw new Error(`Alipay returned status ${answer.status}`);
      const { outcome, signed } = parseGatewayResponse(await answer.text(), method, publicKey);
      const subCode = outcome.sub_code ?? '';
      if (outcome.code !== DONE) {
        const words = sanitizeVendorMessage(
          `${outcome.sub_msg ?? outcome.msg ?? 'Refused'} (${subCode || outcome.code})`,
          [],
        );
        if (outcome.code === UNAVAILABLE || systemErrors.test(subCode)) throw new Error(words);
        throw new AlipayError(subCode, words);
      }
      // A refusal may lack a signature, a success never does.
      if (signed === undefined) throw new Error('The response of Alipay has no signature');
      return parseJsonText(signed, schema);
    },
  };
}

const outcome = z.object({
  code: z.string(),
  msg: z.string().optional(),
  sub_code: z.string().optional(),
  sub_msg: z.string().optional(),
});
type Outcome = z.output<typeof outcome>;

interface GatewayResponse {
  outcome: Outcome;
  /** JSON; undefined when the response is not signed, which is valid for refusals. */
  signed: string | undefined;
}

/**
 * Verifies a response, which is signed over the exact bytes of its inner object:
 * https://opendocs.alipay.com/common/02mse7
 * @throws Error when it is undocumented, or its signature is invalid
 */
function parseGatewayResponse(text: string, method: string, key: KeyObject): GatewayResponse {
  const own = extractInnerObject(text, `${method.replaceAll('.', '_')}_response`);
  const inner = own ?? extractInnerObject(text, 'error_response');
  if (inner === undefined) throw new Error('Alipay returned a response in an undocumented format');
  const { sign } = parseJsonText(text, z.object({ sign: z.string().optional() }));
  if (sign !== undefined && !verifySha256(inner, sign, key))
    throw new Error('The signature of the response does not match the configured Alipay public key');
  return { outcome: parseJsonText(inner, outcome), signed: sign === undefined ? undefined : inner };
}

/** Returns the exact text of the first object of that name, which is what is signed. */
function extractInnerObject(text: string, name: string): string | undefined {
  const start = new RegExp(`^\\s*\\{(?:\\s*"sign"\\s*:\\s*"[^"]*"\\s*,)?\\s*"${name}"\\s*:\\s*`).exec(text)?.[0].length;
  if (start === undefined) return undefined;
  const inner = text.slice(start, findObjectEnd(text, start));
  return tryParseJson(inner) === undefined ? undefined : inner;
}

/** Returns the index after the object that starts at a position, if it is valid JSON; reads each character once. */
function findObjectEnd(text: string, start: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (isInString) {
      if (character === '\\') at++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return at + 1;
  }
  return text.length;
}

/** @returns the non-empty parameters, with their RSA2 signature: https://opendocs.alipay.com/common/02khjm */
export function signParams(params: Readonly<Record<string, string>>, key: KeyObject): Readonly<Record<string, string>> {
  const sent = Object.entries(params).filter(([, value]) => value !== '');
  return { ...Object.fromEntries(sent), sign: signSha256(joinParams(sent), key) };
}

/**
 * Verifies the signature of a notification, which covers all parameters except the signature and its type. Only RSA2
 * is accepted. https://opendocs.alipay.com/common/02mse7
 */
export function isSignedWebhook(params: ReadonlyMap<string, string>, key: KeyObject): boolean {
  const signed = [...params].filter(([name]) => name !== 'sign' && name !== 'sign_type');
  const sign = params.get('sign') ?? '';
  return params.get('sign_type') === 'RSA2' && verifySha256(joinParams(signed), sign, key);
}

function joinParams(params: readonly (readonly [string, string])[]): string {
  return params
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}
