import Switch from '@mui/material/Switch';
import type { Processor } from '@switchyard/contract/billing/payment-providers';
import { useTranslation } from 'react-i18next';
import { InlineNumber } from '../../../ui/actions/inline-number.tsx';
import { useMay } from '../../accounts/session/queries.ts';
import { useProcessorActions } from './use-processor-actions.ts';

const SORT_MAX = 1_000_000;

/** Shows whether the payment provider is enabled; users with the right can switch it in the table. */
export function EnableCell({ processor }: { processor: Processor }) {
  const { t } = useTranslation('processors');
  const { toggle } = useProcessorActions();
  if (!useMay('processors.write')) return t(processor.enable ? 'on' : 'off');
  return (
    <Switch
      checked={processor.enable}
      onClick={(event) => event.stopPropagation()}
      onChange={() => void toggle(processor)}
      slotProps={{ input: { 'aria-label': t('enableOf', { name: processor.name }) } }}
    />
  );
}

/** Its place among the ways to pay. */
export function SortCell({ processor }: { processor: Processor }) {
  const { t } = useTranslation('processors');
  const { setSort } = useProcessorActions();
  if (!useMay('processors.write')) return processor.sort;
  return (
    <InlineNumber
      value={processor.sort}
      min={0}
      max={SORT_MAX}
      label={t('sortOf', { name: processor.name })}
      onSave={(next) => void setSort(processor, next)}
    />
  );
}
