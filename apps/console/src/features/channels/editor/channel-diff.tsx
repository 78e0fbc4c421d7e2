import Box from '@mui/material/Box';
import { type CreateChannel, SECRET_MASK } from '@switchyard/contract/channels/channels';
import { useTranslation } from 'react-i18next';
import { monoFont } from '../../../ui/theme/design-tokens.ts';
import { useFieldName } from '../bulk-edit/bulk-edit-fields.ts';

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

interface ChangedLine {
  sign: '-' | '+';
  /** Line number from 0, in the text before or after the change. */
  line: number;
  text: string;
}

/** Returns the removed and added lines in order, without the unchanged ones. */
export function diffLines(before: readonly string[], after: readonly string[]): ChangedLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const lines = different(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return lines.map((changed) => ({ ...changed, line: changed.line + start }));
}

/** Compares the lines by their longest common subsequence; `common[i][j]` is its length from i and j on. */
function different(before: readonly string[], after: readonly string[]): ChangedLine[] {
  const common = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const row = common[i];
      if (row !== undefined)
        row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: ChangedLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [gone, came] = [before[i], after[j]];
    if (gone !== undefined && gone === came) {
      i += 1;
      j += 1;
    } else if (gone !== undefined && (came === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', line: i, text: gone });
      i += 1;
    } else {
      lines.push({ sign: '+', line: j, text: came ?? '' });
      j += 1;
    }
  }
  return lines;
}
