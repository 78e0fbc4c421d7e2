/** Mails of two nodes on one database. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type MailServer, startMailServer } from '../../testing/mail-server.ts';
import { setOptions } from '../../testing/set-options.ts';
import { runInBackground } from '../../testing/start-feature-app.ts';
import { type FeatureNodes, startFeatureNodes } from '../../testing/start-nodes.ts';
import { queueMail, startMailDelivery } from './mail.ts';

const MAILS = 30;

let nodes: FeatureNodes | undefined;
let server: MailServer;

beforeAll(async () => {
  server = await startMailServer();
  nodes = await startFeatureNodes([runInBackground(startMailDelivery)], {
    config: { publicUrl: 'https://gate.example' },
  });
});
afterAll(async () => {
  await nodes?.close();
  await server.close();
});

test('each mail is sent once, even if both nodes check for due mails at the same time', async (context) => {
  if (nodes === undefined) return context.skip('PostgreSQL is not installed here');
  const contexts = [nodes.first.ctx, nodes.second.ctx] as const;
  const [first] = contexts;
  await setOptions(first, {
    SMTPServer: '127.0.0.1',
    SMTPPort: String(server.port),
    SMTPAccount: '',
    SMTPToken: '',
    SMTPFrom: 'gate@gate.example',
  });
  await expect.poll(() => contexts.every(({ settings }) => settings.smtpPort === server.port)).toBe(true);
  const recipients = Array.from({ length: MAILS }, (_, nth) => `reader-${nth}@example.org`);
  await first.db.writer.transaction().execute(async (trx) => {
    for (const to of recipients)
      await queueMail(first, { to, template: 'smtp-test', language: 'en_US', values: {} }, trx);
  });
  const left = async () => (await first.db.writer.selectFrom('mail').select('id').execute()).length;
  await vi.waitFor(
    async () => {
      await Promise.all(contexts.map((ctx) => ctx.changes.receive({ topic: 'mail' })));
      expect(await left()).toBe(0);
    },
    { timeout: 60_000, interval: 5 },
  );
  expect(server.messages.map(({ to }) => to).toSorted()).toEqual(recipients.toSorted());
});
