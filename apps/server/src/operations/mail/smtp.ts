/** Sends one mail over SMTP. The only file that uses the mail library. */
import { createTransport } from 'nodemailer';
import { isLoopback } from '../../platform/outbound/address-matcher.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { MailError, toMailError } from './mail-error.ts';

export interface SmtpServer {
  host: string;
  /** 465 uses TLS from the start. */
  port: number;
  /** Empty for no authentication. */
  account: string;
  password: string;
}

export interface OutgoingMail {
  /** The same for every attempt, so that a receiver recognizes duplicates. */
  id: string;
  from: { name: string; address: string };
  to: string;
  /** UTC milliseconds. */
  date: number;
  subject: string;
  text: string;
  html: string;
}

const DEADLINE_MS = 20_000;

/**
 * @returns the server's response on acceptance
 * @throws MailError
 */
export async function sendBySmtp(
  outbound: Outbound,
  server: SmtpServer,
  mail: OutgoingMail,
  stop: AbortSignal,
  deadlineMs = DEADLINE_MS,
): Promise<string> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const signal = AbortSignal.any([deadline, stop]);
  try {
    const { response } = await createTransport({
      // The library would resolve the name itself, without the outbound address checks.
      getSocket: (_options, give) => {
        outbound.dial(server.host, server.port, signal).then((connection) => give(null, { connection }), give);
      },
      host: server.host,
      port: server.port,
      ...buildTlsOptions(server),
      ...(server.account === '' ? {} : { auth: { user: server.account, pass: server.password } }),
      connectionTimeout: DEADLINE_MS,
      greetingTimeout: DEADLINE_MS,
      socketTimeout: DEADLINE_MS,
      socketCloseTimeout: 0,
      disableFileAccess: true,
      disableUrlAccess: true,
    }).sendMail({ ...buildMessage(mail), signal });
    return response;
  } catch (error) {
    if (deadline.aborted) throw new MailError('The mail server did not respond in time', false);
    throw toMailError(error, server);
  }
}

/**
 * Returns TLS options. Certificates are always verified. A password is only sent over an encrypted connection, or to
 * this machine.
 */
function buildTlsOptions({ host, port, account }: SmtpServer) {
  const secure = port === 465;
  return { secure, requireTLS: !secure && account !== '' && !isLoopback(host) };
}

function buildMessage({ id, from, to, date, subject, text, html }: OutgoingMail) {
  return {
    // Separate from the headers, so that nothing in a header can add a recipient.
    envelope: { from: from.address, to: [to] },
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    from,
    to: { name: '', address: to },
    date: new Date(date),
    subject,
    text,
    html,
    // RFC 3834: prevents automatic replies.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}
