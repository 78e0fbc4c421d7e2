import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { withoutTurns } from '../../../../i18n/isolated.ts';
import { CopyButton } from '../../../../ui/actions/copy-button.tsx';

interface InstructionsProps {
  text: string;
  tradeNo: string;
}

/** Shows the operator's payment instructions. Text behind a colon can be copied by itself. */
export function Instructions({ text, tradeNo }: InstructionsProps) {
  const { t } = useTranslation('top-up');
  const lines = withoutTurns(text)
    .split('\n')
    .map((line, place) => ({ line, place }));
  return (
    <Box sx={{ border: 1, borderColor: 'divider', borderRadius: 1, p: 1.5, fontSize: '0.875rem' }}>
      {lines.map(({ line, place }) => (
        <Line key={place} line={line} />
      ))}
      {!text.includes(tradeNo) && <Line line={`${t('reference')}: ${tradeNo}`} />}
    </Box>
  );
}

function Line({ line }: { line: string }) {
  const [, name = '', value = ''] = /^([^:：]{1,40})[:：]\s*(\S.*)$/.exec(line.trim()) ?? [];
  // "https://…" has a colon as well, and is no value of a name.
  const copied = value.startsWith('//') ? '' : value;
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minHeight: 30 }}>
      <Box
        component="span"
        sx={{ flexGrow: 1, minWidth: 0, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}
      >
        {line}
      </Box>
      {copied !== '' && <CopyButton text={copied} what={name.trim()} />}
    </Box>
  );
}
