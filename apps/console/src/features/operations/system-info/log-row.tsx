import Box from '@mui/material/Box';
import type { LogLevel } from '@switchyard/contract/operations/system-info';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ShownLine } from './use-live-log.ts';

const colours: Record<LogLevel, string> = {
  debug: 'text.secondary',
  info: 'info.main',
  warn: 'warning.main',
  error: 'error.main',
};

const twoDigits = (part: number, digits = 2): string => String(part).padStart(digits, '0');

function timeOf(milliseconds: number): string {
  const time = new Date(milliseconds);
  const [hours, minutes, seconds] = [time.getHours(), time.getMinutes(), time.getSeconds()];
  return `${twoDigits(hours)}:${twoDigits(minutes)}:${twoDigits(seconds)}.${twoDigits(time.getMilliseconds(), 3)}`;
}

/** Time, level, message and the rest of a line; there may be thousands of them. */
export const LogRow = memo(({ shown }: { shown: ShownLine }) => {
  const { t } = useTranslation('system-info');
  if ('missed' in shown)
    return <Box sx={{ color: 'warning.main' }}>{t('log.missed', { count: shown.missed })}</Box>;
  const { time, level, message, detail } = shown.line;
  return (
    <Box sx={{ contentVisibility: 'auto', containIntrinsicSize: 'auto 20px', overflowWrap: 'anywhere' }}>
      <Box component="time" dateTime={new Date(time).toISOString()} sx={{ color: 'text.secondary' }}>
        {timeOf(time)}
      </Box>{' '}
      <Box component="span" sx={{ color: colours[level], fontWeight: 600 }}>
        {level.toUpperCase().padEnd(5)}
      </Box>{' '}
      {message}{' '}
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {detail}
      </Box>
    </Box>
  );
});
