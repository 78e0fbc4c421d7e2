import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { serveManifest } from './custom-pages-and-manifest.ts';

const icons = join(import.meta.dirname, '../../../../console/public');
const manifest = z.object({
  name: z.string(),
  start_url: z.literal('/panel'),
  display: z.literal('standalone'),
  icons: z.array(z.object({ src: z.string(), sizes: z.string(), purpose: z.string() })),
});

test('the manifest bears the present name of the site and icons that exist', async () => {
  const app = Fastify();
  let name = 'Switchyard';
  serveManifest(app, () => name);
  const read = async () => manifest.parse((await app.inject('/site.webmanifest')).json());
  expect((await read()).name).toBe('Switchyard');
  name = 'Model store';
  const found = await read();
  expect(found.name).toBe('Model store');
  for (const { src } of found.icons) expect(existsSync(join(icons, src)), src).toBe(true);
  expect(found.icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual([
    '192x192 any',
    '512x512 any',
    '512x512 maskable',
  ]);
});
