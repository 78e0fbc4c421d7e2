/** Issuer, language and formats of numbers and times that statements and receipts share. */
import { type Language, parseLanguage } from '@switchyard/contract/accounts/account-fields';
import type { Statement } from '@switchyard/contract/billing/statements';
import type { Currency } from '@switchyard/contract/billing/top-up-cost-and-currencies';
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

export interface DocumentFormat {
  number(value: number): string;
  /** Formats an amount with the currency's code and, for fractions of the minor unit, up to six decimals. */
  money(value: number, currency: Currency): string;
  percent(value: number): string;
  /** UTC seconds. */
  day(time: number): string;
  moment(time: number): string;
  month(time: number): string;
}

/** Narrow and thin spaces, which the font lacks. */
const rareSpaces = /[\u2000-\u200a\u202f\u205f]/g;

export function createDocumentFormat(language: Language): DocumentFormat {
  const locale = language.replace('_', '-');
  const plain = new Intl.NumberFormat(locale);
  const date = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
    return (time: number): string => format.format(time * 1000).replace(rareSpaces, ' ');
  };
  return {
    number: (value) => plain.format(value),
    money: (value, currency) =>
      new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'code', maximumFractionDigits: 6 })
        .format(value)
        .replace(rareSpaces, ' '),
    percent: (value) =>
      new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 6 }).format(value / 100),
    day: date({ dateStyle: 'long' }),
    moment: date({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }),
    month: date({ year: 'numeric', month: 'long' }),
  };
}
