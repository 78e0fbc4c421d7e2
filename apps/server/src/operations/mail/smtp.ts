/** One mail over SMTP. The only file that knows the mail library. */
import { createTransport } from 'nodemailer';
import { isLoopback } from '../../platform/outbound/addresses.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { MailFailure, toMailFailure } from './mail-failure.ts';

export interface SmtpServer {
  host: string;
  /** 465 speaks TLS from the start. */
  port: number;
  /** Empty: no sign-in. */
  account: string;
  password: string;
}

export interface OutgoingMail {
  /** The same at every attempt, so that a receiver can tell a mail that comes twice. */
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
 * @returns what the server said when it took the mail
 * @throws MailFailure
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
      // The library would look the name up by itself, past the guard.
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
    if (deadline.aborted) throw new MailFailure('The mail server did not respond in time', false);
    throw toMailFailure(error, server);
  }
}

/** Certificates are always verified. A password goes over an encrypted connection, or stays on this machine. */
function buildTlsOptions({ host, port, account }: SmtpServer) {
  const secure = port === 465;
  return { secure, requireTLS: !secure && account !== '' && !isLoopback(host) };
}

function buildMessage({ id, from, to, date, subject, text, html }: OutgoingMail) {
  return {
    // Beside the headers, so that nothing in a header adds a recipient.
    envelope: { from: from.address, to: [to] },
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    from,
    to: { name: '', address: to },
    date: new Date(date),
    subject,
    text,
    html,
    // RFC 3834: nobody answers automatically to what was written automatically.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}
