/** Site details that statements and receipts share. */
import { type Language, parseLanguage } from '@switchyard/contract/accounts/account-fields';
import type { Statement } from '@switchyard/contract/billing/statements';
import type { Context } from '../../context.ts';
import { documentTexts, fillText } from '../../locales/server-texts.ts';
import { type PdfDocument, toPrintable, toPrintableLines } from '../pdf-documents/pdf-documents.ts';

export type SharedDocumentParts = Pick<PdfDocument, 'language' | 'siteName' | 'issuer' | 'note' | 'footer'>;

/** @param chosen reader's language; empty for the site's */
export function chooseDocumentLanguage({ settings }: Pick<Context, 'settings'>, chosen: string): Language {
  return parseLanguage(chosen) ?? settings.language;
}

/** Returns the issuer; the site's name replaces a missing company name. */
export function readIssuer({ settings }: Pick<Context, 'settings'>): Statement['issuer'] {
  const { systemName, companyName, companyAddress, companyTaxId, companyContact } = settings;
  return {
    name: companyName === '' ? systemName : companyName,
    address: companyAddress,
    tax_id: companyTaxId,
    contact: companyContact,
  };
}

export function buildSharedParts(ctx: Pick<Context, 'settings'>, language: Language): SharedDocumentParts {
  const { systemName, statementNote } = ctx.settings;
  const { taxId, page } = documentTexts[language];
  const issuer = readIssuer(ctx);
  const name = toPrintable(issuer.name);
  return {
    language: language.replace('_', '-'),
    siteName: systemName,
    issuer: [
      name,
      ...toPrintableLines(issuer.address),
      ...(issuer.tax_id === '' ? [] : [fillText(taxId, { id: toPrintable(issuer.tax_id) })]),
      ...toPrintableLines(issuer.contact),
    ],
    note: toPrintableLines(statementNote).join('\n'),
    footer: `${name} · ${page}`,
  };
}
