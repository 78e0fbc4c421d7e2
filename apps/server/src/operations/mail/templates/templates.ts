/** Words and values → subject, plain text and HTML. */
import type { Settings } from '@switchyard/contract/operations/settings';
import { enUs } from './en-us.ts';
import { jaJp } from './ja-jp.ts';
import type { Block, Message, Site, TemplateName, TemplateValues, Words } from './template.ts';
import { zhCn } from './zh-cn.ts';
import { zhHk } from './zh-hk.ts';

export type Language = Settings['language'];

export interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

const wordsOf: Record<Language, Words> = { en_US: enUs, zh_CN: zhCn, zh_HK: zhHk, ja_JP: jaJp };

const SUBJECT_MAX = 60;

export function renderMail<K extends TemplateName>(
  template: K,
  values: TemplateValues[K],
  language: Language,
  site: { name: string; address: string },
): RenderedMail {
  const place: Site = {
    ...site,
    name: oneLine(site.name),
    moment: (time) => momentIn(language, time),
  };
  const words = wordsOf[language];
  const { subject, body }: Message = words.templates[template](onOneLine(values), place);
  const footer = words.footer(place);
  return {
    subject: Array.from(subject).slice(0, SUBJECT_MAX).join(''),
    text: `${body.map(textOf).join('\n\n')}\n\n-- \n${footer}\n`,
    html: page(language, body.map(htmlOf).join('\n'), escaped(footer)),
  };
}

function onOneLine<T extends object>(values: T): T {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? oneLine(value) : value]),
  ) as T;
}

/** A line break inside a header would begin another header; a control character means nothing in one. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** A moment in words. @param time UTC seconds */
export function momentIn(language: Language, time: number): string {
  const format = new Intl.DateTimeFormat(language.replace('_', '-'), {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return `${format.format(time * 1000)} UTC`;
}

function textOf(block: Block): string {
  if (typeof block === 'string') return block;
  return 'code' in block ? `    ${block.code}` : `${block.label}: ${block.link}`;
}

const PARAGRAPH = 'margin:0 0 16px';
const BUTTON =
  'display:inline-block;padding:10px 18px;border-radius:6px;background:#1f2937;color:#ffffff;text-decoration:none';

function htmlOf(block: Block): string {
  if (typeof block === 'string') return `<p style="${PARAGRAPH}">${escaped(block)}</p>`;
  if ('code' in block)
    return `<p style="${PARAGRAPH};font:600 28px monospace;letter-spacing:4px">${escaped(block.code)}</p>`;
  const link = escaped(block.link);
  return `<p style="${PARAGRAPH}"><a href="${link}" style="${BUTTON}">${escaped(block.label)}</a><br><span style="font-size:12px;color:#6b7280;word-break:break-all">${link}</span></p>`;
}

function page(language: Language, body: string, footer: string): string {
  return `<!doctype html>
<html lang="${language.replace('_', '-')}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:24px;background:#f3f4f6;font:16px/1.5 sans-serif;color:#111827">
<div style="max-width:520px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px">
${body}
</div>
<p style="max-width:520px;margin:16px auto 0;font-size:12px;color:#6b7280">${footer}</p>
</body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
