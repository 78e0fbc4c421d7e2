import Box from '@mui/material/Box';
import { type CreateChannel, SECRET_MASK } from '@switchyard/contract/channels/channels';
import { useTranslation } from 'react-i18next';
import { monoFont } from '../../../ui/theme/design-tokens.ts';
import { useFieldName } from '../bulk-edit/use-channel-field-label.ts';
import { diffLines } from './line-diff.ts';

/** Shows the removed and the added lines of each changed field. */
export function ChannelDiff({ before, after }: { before: CreateChannel; after: CreateChannel }) {
  const { t } = useTranslation('channels');
  const fieldName = useFieldName();
  const old = new Map(fieldsOf(before));
  const changed = fieldsOf(after)
    .map(([name, lines]) => ({ name, lines: diffLines(old.get(name) ?? [], lines) }))
    .filter(({ lines }) => lines.length > 0);
  return (
    <Box role="region" aria-label={t('json.changes')} sx={{ fontSize: '0.8125rem', display: 'grid', gap: 1 }}>
      <Box sx={{ fontWeight: 500 }}>{t('json.changes')}</Box>
      {changed.length === 0 && <Box sx={{ color: 'text.secondary' }}>{t('json.nothing')}</Box>}
      {changed.map(({ name, lines }) => (
        <Box key={name}>
          <Box sx={{ color: 'text.secondary' }}>{fieldName(name)}</Box>
          {lines.map(({ sign, line, text }) => (
            <Box
              key={`${sign}${line}`}
              component={sign === '-' ? 'del' : 'ins'}
              sx={{
                display: 'block',
                px: 1,
                fontFamily: monoFont,
                textDecoration: 'none',
                whiteSpace: 'pre-wrap',
                overflowWrap: 'anywhere',
                bgcolor: sign === '-' ? 'error.soft' : 'success.soft',
                color: 'text.primary',
              }}
            >
              {sign === '-' ? '−' : '+'} {text}
            </Box>
          ))}
        </Box>
      ))}
    </Box>
  );
}

/** Returns each field's JSON in lines. A new key is masked, since only the editor may show it. */
function fieldsOf(values: CreateChannel): [string, string[]][] {
  const shown = { ...values, key: values.key === '' ? '' : SECRET_MASK };
  return Object.entries(shown).map(([name, value]) => [name, JSON.stringify(value, null, 2).split('\n')]);
}
