import Box from '@mui/material/Box';
import type { UsageTotals } from '@switchyard/contract/usage/usage-records';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Money } from '../../../ui/display/money.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';

/** Sums over everything that the active filter matches. */
export function RecordTotals({ totals }: { totals: UsageTotals | undefined }) {
  const { t } = useTranslation('usage-records');
  const format = useFormat();
  if (totals === undefined) return null;
  return (
    <>
      <Total label={t('calls')}>{format.number(totals.requests)}</Total>
      <Total label={t('input')}>{format.compact(totals.prompt_tokens)}</Total>
      <Total label={t('output')}>{format.compact(totals.completion_tokens)}</Total>
      <Total label={t('cost')}>
        <Money points={totals.quota} />
      </Total>
    </>
  );
}

function Total({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span>
      <Box component="span" sx={{ color: 'text.secondary', mr: 0.5 }}>
        {label}
      </Box>
      <Box component="span" sx={{ fontWeight: 500 }}>
        {children}
      </Box>
    </span>
  );
}
