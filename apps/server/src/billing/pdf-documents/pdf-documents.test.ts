import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { expect, test } from 'vitest';
import { systemTimers } from '../../platform/clock.ts';
import { readPdf } from '../../testing/pdf-text.ts';
import { type PdfDocument, renderPdf, toPrintable } from './pdf-documents.ts';

const USER = 1;
const draw = (document: PdfDocument, userId = USER) => renderPdf(systemTimers, document, userId);
const blank: PdfDocument = {
  language: 'en-US',
  siteName: 'Gate',
  createdAt: 1_790_000_000,
  title: 'Statement',
  issuer: ['Company', 'Street'],
  facts: [['Number', '1']],
  tables: [],
  note: '',
  footer: 'Page {{page}} of {{pages}}',
};

const withModels = (names: readonly string[]): PdfDocument => ({
  ...blank,
  tables: [
    {
      heading: 'Models',
      columns: [
        { head: 'Model', width: 3, align: 'left' },
        { head: 'Points', width: 1, align: 'right' },
      ],
      rows: names.map((name, index) => [toPrintable(name), String(index)]),
      total: ['Total', '77'],
    },
  ],
});

test('a long table repeats its heads on each page, and every page has its number', async () => {
  const names = Array.from({ length: 200 }, (_, index) => `model-${index}`);
  const { pages } = readPdf(await draw(withModels(names)));
  expect(pages.length).toBeGreaterThan(3);
  for (const [index, lines] of pages.entries()) {
    expect(lines.at(-1)).toBe(`Page ${index + 1} of ${pages.length}`);
    expect(lines.filter((line) => line === 'Points')).toHaveLength(1);
  }
  const all = pages.flat();
  expect(all.filter((line) => line.startsWith('model-'))).toEqual(names);
  expect(all).toContain('77');
});

test('the same content has the same bytes, with the used parts of the fonts, and only the site’s name', async () => {
  const bytes = await draw(withModels(['月度账单']));
  expect(Buffer.compare(bytes, await draw(withModels(['月度账单'])))).toBe(0);
  expect(bytes.length).toBeLessThan(60_000);
  const text = Buffer.from(bytes).toString('latin1');
  expect(text.startsWith('%PDF-')).toBe(true);
  expect(text.match(/\((?:Gate|D:[0-9]{14}Z)\)/g)).toEqual(['(Gate)', '(Gate)', '(D:20260921141320Z)']);
  expect(text).not.toMatch(/pdfkit|fontkit|https?:/i);
  expect(readPdf(bytes).fonts.map((name) => name.replace(/^\w+\+/, ''))).toEqual([
    'NotoSansHans-Bold',
    'NotoSansHans-Regular',
  ]);
});

test('no name breaks anything, however odd it is', async () => {
  const names = {
    'endless words': 'x'.repeat(100_000),
    'endless Chinese': '模'.repeat(100_000),
    'accents without end': `a${'\u0301'.repeat(100_000)}`,
    'right to left and emoji': 'مرحبا \u202e 👩‍👩‍👧 \ud83d',
    controls: '\u0000\u001b[2J\r\n) Tj ET (\\',
    nothing: '',
  };
  const { pages } = readPdf(
    await draw(withModels(Object.entries(names).flatMap(([what, name]) => [name, `after ${what}`]))),
  );
  expect(pages).toHaveLength(1);
  for (const what of Object.keys(names)) expect(pages[0]).toContain(`after ${what}`);
});

test('drawing 200 lines does not block the thread that serves requests', async () => {
  const readCpuMs = startCpuTimer();
  await draw(withModels(Array.from({ length: 200 }, (_, index) => `模型-${index}`)));
  expect(readCpuMs()).toBeLessThan(100);
});

test('rejects too many documents at once with a retryable error', async () => {
  const all = await Promise.allSettled(Array.from({ length: 10 }, (_, user) => draw(blank, user)));
  const refused = all.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(2);
  expect(refused[0]).toMatchObject({
    reason: { code: 'too-many-requests', message: 'Too many documents are being generated. Retry in 5 seconds.' },
  });
});

test('one user does not keep the others from their documents', async () => {
  const greedy = Promise.allSettled(Array.from({ length: 20 }, () => draw(blank)));
  await expect(draw(blank, USER + 1)).resolves.toBeInstanceOf(Uint8Array);
  expect((await greedy).filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  await expect(draw(blank)).resolves.toBeInstanceOf(Uint8Array);
});
