import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import IconButton from '@mui/material/IconButton';
import type { CatalogueChange, CatalogueLine } from '@switchyard/contract/catalog/catalog-updates';
import { RATE_OF_USD_PER_MILLION, RATE_OF_USD_PER_UNIT, rates } from '@switchyard/contract/catalog/price-rates';
import { IconLock, IconLockOpen } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip, type Tone } from '../../../ui/display/status-and-tag-chips.tsx';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { useLock } from './queries.ts';

interface DiffLineProps {
  line: CatalogueLine;
  /** True if the change can be approved. */
  open: boolean;
  chosen: boolean;
  onChoose: (apply: boolean) => void;
  readOnly: boolean;
}

const tones: Record<CatalogueLine['kind'], Tone> = { added: 'success', changed: 'info', gone: 'neutral' };

/** Shows the changes of one model field by field, with a checkbox that approves them. */
export function DiffLine({ line, open, chosen, onChoose, readOnly }: DiffLineProps) {
  const { t } = useTranslation('catalogue');
  const notifyError = useNotifyError();
  const lock = useLock();
  const { model, kind, locked, extreme } = line;
  return (
    <Box
      component="li"
      sx={{ display: 'flex', alignItems: 'flex-start', gap: 1, py: 1, borderBottom: 1, borderColor: 'divider' }}
    >
      {!readOnly && (
        <Checkbox
          size="small"
          disabled={!open}
          checked={open && chosen}
          onChange={(_, apply) => onChoose(apply)}
          slotProps={{ input: { 'aria-label': t('select', { model }) } }}
        />
      )}
      <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
        <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'center', minHeight: 34 }}>
          <Mono>{model}</Mono>
          <StatusChip tone={tones[kind]} dot={false}>
            {t(`kind.${kind}`)}
          </StatusChip>
          {extreme && (
            <StatusChip tone="error" hint={t('extremeHint')}>
              {t('extreme')}
            </StatusChip>
          )}
          {locked && (
            <StatusChip tone="neutral" dot={false}>
              {t('locked')}
            </StatusChip>
          )}
        </Box>
        <Changes line={line} />
      </Box>
      {!readOnly && (
        <IconButton
          size="small"
          loading={lock.isPending}
          aria-label={t(locked ? 'unlock' : 'lock', { model })}
          onClick={() => lock.mutate({ model, locked: !locked }, { onError: notifyError })}
        >
          {locked ? <IconLock size={18} /> : <IconLockOpen size={18} />}
        </IconButton>
      )}
    </Box>
  );
}

function Changes({ line }: { line: CatalogueLine }) {
  const words = useChangeWords();
  return (
    <Box
      component="dl"
      sx={{ m: 0, display: 'flex', flexWrap: 'wrap', columnGap: 2.5, rowGap: 0.25, fontSize: '0.8125rem' }}
    >
      {line.changes.map((change) => {
        const { label, before, after } = words(line, change);
        return (
          <Box key={change.field} sx={{ display: 'flex', gap: 0.75, flexWrap: 'wrap' }}>
            <Box component="dt" sx={{ color: 'text.secondary' }}>
              {label}
            </Box>
            <Box component="dd" sx={{ m: 0, fontVariantNumeric: 'tabular-nums' }}>
              {line.kind === 'added' ? after : line.kind === 'gone' ? before : `${before} → ${after}`}
            </Box>
          </Box>
        );
      })}
    </Box>
  );
}

type Value = CatalogueChange['before'];

const unitKinds = new Set(['webSearch', 'mapsGrounding', 'codeExecution', 'fileSearch', 'search', 'image', 'second']);
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

/** Returns a function that describes a change: the field, its old value and its new value. */
function useChangeWords(): (
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
    if (group === 'tiers') return `${rateLabel(second)}, ${t('above', { tokens: format.number(Number(first)) })}`;
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
