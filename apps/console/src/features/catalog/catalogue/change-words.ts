import type { CatalogueChange, CatalogueLine } from '@switchyard/contract/catalog/catalogue';
import { RATE_OF_USD_PER_MILLION, RATE_OF_USD_PER_UNIT, rates } from '@switchyard/contract/catalog/rates';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../ui/format/use-format.ts';

type Value = CatalogueChange['before'];

const unitKinds = new Set([
  'webSearch',
  'mapsGrounding',
  'codeExecution',
  'fileSearch',
  'search',
  'image',
  'second',
]);
const rateKinds = rates.keyof().options;
const factNames = [
  'type',
  'owner',
  'maker',
  'context_length',
  'output_max',
  'capabilities',
  'released',
  'retires',
  'deprecated',
  'successor',
] as const;

/** Changes in words: what changes, from what, to what. */
export function useChangeWords(): (
  line: CatalogueLine,
  change: CatalogueChange,
) => { label: string; before: string; after: string } {
  const { t } = useTranslation(['catalogue', 'prices']);
  const format = useFormat();

  const rateLabel = (kind: string): string => {
    const known = rateKinds.find((name) => name === kind);
    return known === undefined ? kind : t(`field.${known}`);
  };
  const labelOf = (field: string): string => {
    const [group = '', first = '', second = ''] = field.split('.');
    if (group === 'rates') return rateLabel(first);
    if (group === 'images') return `${t('field.image')} ${field.slice('images.'.length)}`;
    if (group === 'tiers')
      return `${rateLabel(second)}, ${t('above', { tokens: format.number(Number(first)) })}`;
    if (field === 'input') return t('field.takes');
    if (field === 'output') return t('field.gives');
    const known = factNames.find((name) => name === field);
    return known === undefined ? field : t(`field.${known}`);
  };
  const rateOf = (type: CatalogueLine['type'], field: string, rate: number): string => {
    const kind = field.split('.').at(-1) ?? '';
    if (type === 'times') return `${format.exactUsd(rate / RATE_OF_USD_PER_UNIT)} ${t('perCall')}`;
    if (field.startsWith('images.') || unitKinds.has(kind))
      return `${format.exactUsd(rate / RATE_OF_USD_PER_UNIT)} ${t('perUnit')}`;
    return `${format.exactUsd(rate / RATE_OF_USD_PER_MILLION)} ${t('perMillion')}`;
  };
  const valueOf = (type: CatalogueLine['type'], field: string, value: Value): string => {
    if (value === null) return t('nothing');
    if (typeof value === 'number')
      return /^(?:rates|images|tiers)\./.test(field) ? rateOf(type, field, value) : format.number(value);
    if (field === 'type' && (value === 'tokens' || value === 'times')) return t(`prices:typeName.${value}`);
    if (field === 'retires' || field === 'released') return format.date(value);
    return value;
  };

  return ({ type }, { field, before, after }) => ({
    label: labelOf(field),
    before: valueOf(type, field, before),
    after: valueOf(type, field, after),
  });
}
