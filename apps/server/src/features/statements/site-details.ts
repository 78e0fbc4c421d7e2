/** What statements and receipts have in common. */
import { type Language, languageOf } from '@switchyard/contract/account';
import type { Context } from '../../context.ts';
import type { PdfDocument } from './pdf/document.ts';
import { printable, printableLines } from './pdf/printable.ts';
import { wordsOf } from './words/words-of.ts';

export type CommonParts = Pick<PdfDocument, 'language' | 'siteName' | 'issuer' | 'note' | 'footer'>;

/** @param chosen what the reader has chosen; without a choice it is the site's language */
export function languageFor({ settings }: Pick<Context, 'settings'>, chosen: string): Language {
  return languageOf(chosen) ?? settings.language;
}

export function commonParts({ settings }: Pick<Context, 'settings'>, language: Language): CommonParts {
  const { systemName, companyName, companyAddress, companyTaxId, companyContact, statementNote } = settings;
  const { taxId, page } = wordsOf[language];
  const name = printable(companyName === '' ? systemName : companyName);
  return {
    language: language.replace('_', '-'),
    siteName: systemName,
    issuer: [
      name,
      ...printableLines(companyAddress),
      ...(companyTaxId === '' ? [] : [taxId(printable(companyTaxId))]),
      ...printableLines(companyContact),
    ],
    note: printableLines(statementNote).join('\n'),
    footer: `${name} · ${page}`,
  };
}
