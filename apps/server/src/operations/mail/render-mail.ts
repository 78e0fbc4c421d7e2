/** Renders mails: texts and values → subject, plain text and HTML. */
import type { Language } from '@switchyard/contract/accounts/account-fields';
import { fillText, formatMoment, mailTexts, toSingleLine } from '../../locales/server-texts.ts';

/** Values of each mail's template. Links are addresses of this site. */
export interface TemplateValues {
  'verification-code': { code: string; minutes: number };
  'already-registered': { signInLink: string; resetLink: string };
  'password-reset': { link: string; minutes: number };
  'password-changed': SiteLink;
  /** `time` is UTC seconds. */
  'new-sign-in': { device: string; address: string; time: number };
  /** Root acts as the reader. `time` is UTC seconds. */
  impersonated: { time: number; minutes: number };
  'identity-bound': { provider: string };
  'identity-unbound': { provider: string };
  'factor-added': { kind: FactorKind };
  'factor-removed': { kind: FactorKind };
  /** Mail to the account's previous address. */
  'email-changed': SiteLink;
  'account-deleted': SiteLink;
  /** Notification that the user subscribed to, with its text ready. `link` may be empty. */
  alert: { title: string; text: string; link: string };
  /** Mail about a group that was reached by topping up. */
  'group-reached': { group: string };
  'smtp-test': SiteLink;
}

/** No values besides the link to the site, which every mail has. */
type SiteLink = Readonly<Record<string, never>>;

type FactorKind = 'totp' | 'passkey';

export type TemplateName = keyof TemplateValues;

/** Paragraph, code to type in, or link with its label. */
type Block = string | { code: string } | { link: string; label: string };

export interface RenderedMail {
  /** At most 60 characters. */
  subject: string;
  text: string;
  html: string;
}

const SUBJECT_MAX = 60;

/** @param site its name and public address */
export function renderMail<K extends TemplateName>(
  template: K,
  values: TemplateValues[K],
  language: Language,
  site: { name: string; address: string },
): RenderedMail {
  const texts = mailTexts[language];
  const message: { subject: string; body: readonly Block[] } = texts.templates[template];
  const shown = { ...shownValues(values, language), site: toSingleLine(site.name), siteLink: site.address };
  const blocks = message.body.map((block) => fillBlock(block, shown)).filter((block) => !isEmptyLink(block));
  const subject = fillText(message.subject, shown);
  const footer = fillText(texts.footer, shown);
  return {
    subject: Array.from(subject).slice(0, SUBJECT_MAX).join(''),
    text: `${blocks.map(textOf).join('\n\n')}\n\n-- \n${footer}\n`,
    html: page(language, blocks.map(htmlOf).join('\n'), escaped(footer)),
  };
}

type ShownValues = Readonly<Record<string, string | number>>;

/** Returns the values as shown: on one line, with times and second factors in words. */
function shownValues(values: TemplateValues[TemplateName], language: Language): ShownValues {
  const { factors } = mailTexts[language];
  const shown: Record<string, string | number> = {};
  for (const [name, value] of Object.entries<string | number>(values))
    if (typeof value === 'string') shown[name] = toSingleLine(value);
    else shown[name] = name === 'time' ? formatMoment(language, value) : value;
  if ('kind' in values) shown['factor'] = factors[values.kind];
  return shown;
}

function fillBlock(block: Block, values: ShownValues): Block {
  if (typeof block === 'string') return fillText(block, values);
  if ('code' in block) return { code: fillText(block.code, values) };
  return { link: fillText(block.link, values), label: fillText(block.label, values) };
}

const isEmptyLink = (block: Block): boolean => typeof block !== 'string' && 'link' in block && block.link === '';

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
