import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import type { ImportedItem, ImportResult } from '@switchyard/contract/channels/channel-edits';
import { useTranslation } from 'react-i18next';
import { Name } from '../../../ui/display/name.tsx';
import { useRefusalSentence } from '../../../ui/form/field-refusals.ts';
import { monoFont } from '../../../ui/theme/fonts.ts';
import { useFieldName } from '../bulk-edit/use-field-name.ts';
import { useSourceName } from '../list/use-source-name.ts';

const outcomes = ['refused', 'changed', 'new', 'skipped', 'same'] as const;
/** More rows than anybody reads; the counts tell of the rest. */
const SHOWN = 200;
const VALUE_SHOWN = 160;

/** Shows the effect of each row of a file: refused rows first, then changes with their differences. */
export function ImportPreview({ result }: { result: ImportResult }) {
  const { t } = useTranslation('channels');
  const sourceName = useSourceName();
  const counts = outcomes.map(
    (outcome) => [outcome, result.items.filter((item) => item.outcome === outcome).length] as const,
  );
  const sorted = outcomes.flatMap((outcome) => result.items.filter((item) => item.outcome === outcome));
  const leftOut = [...new Set(result.items.flatMap((item) => item.left_out))];
  return (
    <Box aria-live="polite" sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1 }}>
      <Alert severity="info">
        {sourceName(result.source)}
        {': '}
        {counts
          .filter(([, count]) => count > 0)
          .map(([outcome, count]) => `${t(`edits.import.outcome.${outcome}`)} ${count}`)
          .join(' · ')}
      </Alert>
      {leftOut.length > 0 && (
        <Alert severity="warning">{t('edits.import.leftOut', { names: leftOut.join(', ') })}</Alert>
      )}
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', fontSize: '0.8125rem' }}>
        {sorted.slice(0, SHOWN).map((item) => (
          <ImportedRow key={item.index} item={item} />
        ))}
      </Box>
      {sorted.length > SHOWN && <Box>{t('edits.import.more', { count: sorted.length - SHOWN })}</Box>}
    </Box>
  );
}

function ImportedRow({ item }: { item: ImportedItem }) {
  const { t } = useTranslation('channels');
  const fieldName = useFieldName();
  const sentenceOf = useRefusalSentence();
  return (
    <Box component="li" sx={{ py: 0.75, borderBottom: 1, borderColor: 'divider', overflowWrap: 'anywhere' }}>
      <Box sx={{ display: 'flex', gap: 1 }}>
        <Box sx={{ flexGrow: 1, minWidth: 0 }}>
          <Name id={item.index + 1}>{item.name}</Name>
        </Box>
        <Box sx={{ color: item.outcome === 'refused' ? 'error.main' : 'text.secondary' }}>
          {t(`edits.import.outcome.${item.outcome}`)}
        </Box>
      </Box>
      {item.refusals.map((refusal) => (
        <Box key={`${refusal.path} ${refusal.rule}`} sx={{ color: 'error.main' }}>
          {refusal.path !== '' && `${fieldName(refusal.path)}: `}
          {sentenceOf(refusal)}
        </Box>
      ))}
      {item.changes.map(({ path, before, after }) => (
        <Box key={path}>
          {fieldName(path)}:{' '}
          <Box component="del" sx={{ fontFamily: monoFont, color: 'text.secondary' }}>
            {shown(before)}
          </Box>
          {' → '}
          <Box component="ins" sx={{ fontFamily: monoFont, textDecoration: 'none' }}>
            {shown(after)}
          </Box>
        </Box>
      ))}
      {item.left_out.length > 0 && (
        <Box sx={{ color: 'text.secondary' }}>
          {t('edits.import.leftOut', { names: item.left_out.join(', ') })}
        </Box>
      )}
    </Box>
  );
}

function shown(value: unknown): string {
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return text.length > VALUE_SHOWN ? `${text.slice(0, VALUE_SHOWN)}…` : text;
}
