import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import type { Comparison } from '@switchyard/contract/catalog/catalogue';
import { useTranslation } from 'react-i18next';
import { Mono } from '../../../ui/display/mono.tsx';

const rules = ['negative', 'too_big', 'duplicate', 'unknown-currency'] as const;

/** Entries that were left out, each with its place in the list. */
export function ListProblems({ comparison: { problems, problem_count } }: { comparison: Comparison }) {
  const { t } = useTranslation('catalogue');
  if (problem_count === 0) return null;
  return (
    <Alert severity="warning" sx={{ mb: 1.5 }}>
      {t('problems', { count: problem_count })}
      <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 2.5, maxHeight: 160, overflowY: 'auto' }} tabIndex={0}>
        {problems.map(({ place, model, rule }, index) => (
          // Two problems can be at one place.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>
            <Mono>{model}</Mono> {t(`problem.${rules.find((name) => name === rule) ?? 'other'}`)} (
            <Mono>{place}</Mono>)
          </li>
        ))}
      </Box>
    </Alert>
  );
}
