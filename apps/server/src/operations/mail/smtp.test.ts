import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { createOutbound, type Outbound } from '../../platform/outbound/outbound.ts';
import { type MailServer, type MailServerOptions, startMailServer } from '../../testing/mail-server.ts';
import { createSelfSignedCertificate } from '../../testing/self-signed-certificates.ts';
import { type OutgoingMail, type SmtpServer, sendBySmtp } from './smtp.ts';

const HOST = 'mail.example';
const certificate = createSelfSignedCertificate(HOST);
const account = { user: 'gate', password: 'correct horse' };
const untrusted = createSelfSignedCertificate(HOST);
setDefaultCACertificates([...getCACertificates('default'), certificate.cert]);

const mail: OutgoingMail = {
  id: 'one',
  from: { name: 'Gate', address: 'gate@gate.example' },
  to: 'ann@example.org',
  date: 0,
  subject: 'Hello',
  text: 'Hello',
  html: '<p>Hello</p>',
};

async function start(options: MailServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(options);
  onTestFinished(() => server.close());
  return server;
}

/** Sends as if the server's host name were `mail.example`. */
function sendTo(
  server: Pick<MailServer, 'port'>,
  options: Partial<SmtpServer & { mail: OutgoingMail; deadlineMs: number }> = {},
) {
  const outbound: Outbound = {
    ...createOutbound([]),
    async dial() {
      const socket = connect(server.port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
  };
  const smtpServer = { host: HOST, port: 587, account: '', password: '', ...options };
  return sendBySmtp(outbound, smtpServer, options.mail ?? mail, new AbortController().signal, options.deadlineMs);
}

const signedIn = { account: account.user, password: account.password };

test('a password goes to a server that offers encryption and has a trusted certificate', async () => {
  const server = await start({ certificate, account });
  expect(await sendTo(server, signedIn)).toMatch(/^250/);
  expect(await server.waitForNext()).toMatchObject({ to: 'ann@example.org', encrypted: true, account: 'gate' });
});

test('port 465 speaks TLS from the start', async () => {
  const server = await start({ certificate, account, secure: true });
  await sendTo(server, { ...signedIn, port: 465 });
  expect(await server.waitForNext()).toMatchObject({ encrypted: true, account: 'gate' });
});

test.each([587, 465])('ends the attempt at an untrusted certificate, port %i', async (port) => {
  const server = await start({ certificate: untrusted, account, secure: port === 465 });
  await expect(sendTo(server, { ...signedIn, port })).rejects.toMatchObject({
    message: expect.stringContaining(`The certificate of ${HOST}:${port} is not trusted`),
    permanent: false,
  });
  expect(server.messages).toEqual([]);
});

test('a certificate of another name ends the attempt', async () => {
  const server = await start({ certificate });
  await expect(sendTo(server, { host: 'other.example' })).rejects.toThrow('is not trusted');
});

test('a password is never sent without encryption to another machine', async () => {
  const server = await start({ account });
  await expect(sendTo(server, signedIn)).rejects.toThrow('The connection to mail.example:587 is not encrypted');
  expect(server.messages).toEqual([]);
});

test.each(['localhost', '127.0.0.1', '::1'])('on this machine a password needs no encryption: %s', async (host) => {
  const server = await start({ account });
  await sendTo(server, { ...signedIn, host });
  expect(await server.waitForNext()).toMatchObject({ encrypted: false, account: 'gate' });
});

test('a wrong password is named as the reason, and is not in it', async () => {
  const server = await start({ certificate, account });
  const failure = await sendTo(server, { ...signedIn, password: 'wrong-secret' }).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    message: expect.stringMatching(/rejected the username or password.*535/),
    permanent: false,
  });
  expect(String(failure)).not.toContain('wrong-secret');
});

test('a server that repeats the password does not bring it into the reason', async () => {
  const encoded = Buffer.from('\0gate\0correct horse').toString('base64');
  const server = await start();
  server.setBehaviour((stage) => (stage === 'recipient' ? `451 you said correct horse and ${encoded}` : 'go-on'));
  const failure = await sendTo(server, { ...signedIn, host: 'localhost' }).catch((error: unknown) => error);
  expect(String(failure)).toContain('451 you said … and …');
});

test.each(['connect', 'recipient', 'data', 'taken'] as const)(
  'a server that falls silent ends the attempt at the deadline: %s',
  async (silent) => {
    const server = await start();
    server.setBehaviour((stage) => (stage === silent ? 'silent' : 'go-on'));
    await expect(sendTo(server, { deadlineMs: 200 })).rejects.toMatchObject({
      message: 'The mail server did not respond in time',
      permanent: false,
    });
  },
);

/** Offers STARTTLS, accepts it, and then stays silent or disconnects. */
async function startHalfway(hangsUp: boolean): Promise<{ port: number }> {
  const halfway = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 ready\r\n');
    socket.on('data', (data) => {
      const text = data.toString('latin1');
      if (text.startsWith('EHLO')) socket.write('250-halfway\r\n250 STARTTLS\r\n');
      else if (text.startsWith('STARTTLS')) socket.write('220 go ahead\r\n');
      else if (hangsUp) socket.destroy();
    });
  });
  onTestFinished(() => void halfway.close());
  return { port: await listen(halfway) };
}

test.each([
  [true, 'was interrupted'],
  [false, 'did not respond in time'],
])('an encryption that does not come about ends the attempt, hung up: %s', async (hangsUp, reason) => {
  const server = await startHalfway(hangsUp);
  for (let attempt = 0; attempt < 5; attempt += 1)
    await expect(sendTo(server, { ...signedIn, deadlineMs: 200 })).rejects.toThrow(reason);
});

test.each([
  ['recipient', '550 5.1.1 no such person', true],
  ['recipient', '450 4.2.1 try later', false],
  ['data', '554 5.7.1 spam', true],
  ['data', '452 4.3.1 disk full', false],
  ['connect', '554 5.7.1 go away', false],
] as const)('%s refused with %s is for good: %s', async (refused, reply, permanent) => {
  const server = await start();
  server.setBehaviour((stage) => (stage === refused ? reply : 'go-on'));
  await expect(sendTo(server)).rejects.toMatchObject({ message: expect.stringContaining(reply.slice(10)), permanent });
});

test('a line break in a name or subject makes no header and no recipient', async () => {
  const server = await start();
  const attack = 'x\r\nBcc: eve@example.org\r\nX-Injected: yes';
  await sendTo(server, { mail: { ...mail, subject: attack, from: { name: attack, address: mail.from.address } } });
  const message = await server.waitForNext();
  expect(message.to).toBe('ann@example.org');
  expect(message.headers.has('bcc')).toBe(false);
  expect(message.headers.has('x-injected')).toBe(false);
});

const inside = 'is not a public address. To allow it, add it to the environment variable OUTBOUND_ALLOW and restart.';
test.each([
  ['10.0.0.1', inside],
  ['169.254.169.254', 'is a metadata service and is never called.'],
  ['localhost', inside],
])('a server inside is not called unless allowed: %s', async (host, reason) => {
  const outbound = createOutbound([]);
  const server = { host, port: 25, account: '', password: '' };
  await expect(sendBySmtp(outbound, server, mail, new AbortController().signal)).rejects.toMatchObject({
    message: `${host} ${reason}`,
  });
});
