/** Reason why a mail was not accepted, in a sentence for the operator. */

import { replaceSecrets } from '@switchyard/relay';
import { AddressNotAllowedError } from '../../platform/outbound/outbound-guard.ts';

export class MailError extends Error {
  /** True if another attempt would fail in the same way. */
  readonly permanent: boolean;

  /** @param message safe to show; without the library's text, which may repeat what was sent */
  constructor(message: string, permanent: boolean) {
    super(message);
    this.name = 'MailError';
    this.permanent = permanent;
  }
}

const RESPONSE_MAX = 300;

export interface SmtpLogin {
  host: string;
  port: number;
  account: string;
  password: string;
}

/** Converts an error of the library or the system to a sentence. */
export function toMailError(error: unknown, server: SmtpLogin): MailError {
  if (error instanceof MailError) return error;
  if (error instanceof AddressNotAllowedError) return new MailError(error.message, false);
  const { code, response, command, responseCode } = readErrorFields(error);
  const suffix = response === '' ? '' : `: ${sanitizeResponse(response, server)}`;
  // Only a refusal of this recipient or this message is permanent; the operator can fix everything else.
  const permanent = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
  return new MailError(`${describeFailure(code, server)}${suffix}`, permanent);
}

function describeFailure(code: string, { host, port }: SmtpLogin): string {
  const address = `${host}:${port}`;
  if (code === 'EAUTH') return 'The mail server rejected the username or password';
  if (code === 'ETLS') return `The connection to ${address} is not encrypted, so the password was not sent`;
  if (code === 'EENVELOPE') return 'The mail server rejected the sender’s or the recipient’s address';
  if (code === 'EMESSAGE') return 'The mail server rejected the mail';
  if (code === 'EABORT' || code.endsWith('TIMEDOUT')) return 'The mail server did not respond in time';
  if (/^(ENOTFOUND|EAI_|EDNS)/.test(code)) return `The host name ${host} could not be resolved`;
  if (/CERT|SELF_SIGNED|VERIFY/.test(code)) return `The certificate of ${address} is not trusted (${code})`;
  if (/SSL|TLS/.test(code)) return `${address} does not speak TLS as expected (${code})`;
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EACCES)$/.test(code)) return `No connection to ${address} (${code})`;
  return `The connection to ${address} was interrupted`;
}

interface Fields {
  code: string;
  response: string;
  command: string;
  responseCode: number;
}

/** Reads the fields of an error. The library adds the system's error code to its own. */
function readErrorFields(error: unknown): Fields {
  const fields: Readonly<Record<string, unknown>> = Object.fromEntries(
    error instanceof Error ? Object.entries(error) : [],
  );
  const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '');
  const { responseCode } = fields;
  return {
    code: text('originalCode') || text('code'),
    response: text('response').replace(/\s+/g, ' '),
    command: text('command'),
    responseCode: typeof responseCode === 'number' ? responseCode : 0,
  };
}

/** Shortens a response and redacts the password, which a server may repeat, also in its encoded form. */
function sanitizeResponse(response: string, { account, password }: SmtpLogin): string {
  if (password === '') return response.slice(0, RESPONSE_MAX);
  const encoded = [`\0${account}\0${password}`, password].map((text) => Buffer.from(text).toString('base64'));
  return replaceSecrets(response, [...encoded, password], '…', RESPONSE_MAX);
}
