import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import TextField from '@mui/material/TextField';
import type { ApplyMode, CatalogueLine } from '@switchyard/contract/catalog/catalogue';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ChoiceRow } from '../../../ui/actions/choice-row.tsx';
import { DiffLine } from './diff-line.tsx';
import { type Choices, isChosen, isCovered, isOpen } from './selection.ts';

interface LineListProps {
  lines: readonly CatalogueLine[];
  mode: ApplyMode;
  choices: Choices;
  onChoose: (models: readonly string[], apply: boolean) => void;
  readOnly: boolean;
}

type Kind = CatalogueLine['kind'] | 'all';
const kinds = ['all', 'added', 'changed', 'gone'] as const satisfies readonly Kind[];
/** Lists can have thousands of lines. */
const STEP = 50;

export function LineList({ lines, mode, choices, onChoose, readOnly }: LineListProps) {
  const { t } = useTranslation('catalogue');
  const [kind, setKind] = useState<Kind>('all');
  const [keyword, setKeyword] = useState('');
  const [limit, setLimit] = useState(STEP);
  const covered = lines.filter((line) => isCovered(line, mode));
  const counts = new Map<Kind, number>([['all', covered.length]]);
  for (const line of covered) counts.set(line.kind, (counts.get(line.kind) ?? 0) + 1);
  const wanted = keyword.trim().toLowerCase();
  const shownKind = counts.has(kind) ? kind : 'all';
  const found = covered.filter(
    (line) => (shownKind === 'all' || line.kind === shownKind) && line.model.toLowerCase().includes(wanted),
  );
  // Prices are chosen to go where nothing else is on the screen.
  const open = found.filter((line) => isOpen(line, mode) && (shownKind === 'gone' || line.kind !== 'gone'));
  const chosen = open.filter((line) => isChosen(line, choices)).length;
  const shown = found.slice(0, limit);
  return (
    <>
      <Box sx={{ display: 'flex', gap: 1.5, flexWrap: 'wrap', alignItems: 'center' }}>
        <ChoiceRow
          label={t('kind.label')}
          value={shownKind}
          options={kinds
            .filter((value) => value === 'all' || counts.has(value))
            .map((value) => ({ value, label: `${t(`kind.${value}`)} ${counts.get(value) ?? 0}` }))}
          onChange={setKind}
        />
        <TextField
          size="small"
          label={t('search')}
          value={keyword}
          onChange={(event) => setKeyword(event.target.value)}
          sx={{ width: 220 }}
        />
        {!readOnly && open.length > 0 && (
          <FormControlLabel
            label={t('selectAll')}
            control={
              <Checkbox
                size="small"
                checked={chosen === open.length}
                indeterminate={chosen > 0 && chosen < open.length}
                onChange={(_, apply) =>
                  onChoose(
                    open.map(({ model }) => model),
                    apply,
                  )
                }
              />
            }
          />
        )}
      </Box>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, mt: 1, p: 0 }}>
        {shown.map((line) => (
          <DiffLine
            key={line.model}
            line={line}
            open={!readOnly && isOpen(line, mode)}
            chosen={isChosen(line, choices)}
            onChoose={(apply) => onChoose([line.model], apply)}
            readOnly={readOnly}
          />
        ))}
      </Box>
      {found.length > shown.length && (
        <Button color="inherit" onClick={() => setLimit(limit + 4 * STEP)} sx={{ mt: 1 }}>
          {t('more', { count: Math.min(4 * STEP, found.length - shown.length) })}
        </Button>
      )}
    </>
  );
}
