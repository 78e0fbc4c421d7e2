import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import { type LogLevel, type LogLine, logLevel } from '@switchyard/contract/operations/system-info';
import { IconDownload, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { memo, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { FilterChip } from '../../../ui/filters/filter-chip.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { monoFont } from '../../../ui/theme/design-tokens.ts';
import { logFileUrl, streamLog } from './queries.ts';

const levels = logLevel.options;
/** Distance from the end in pixels within which the view follows new lines. */
const NEAR_END = 24;

/** Streams the server's log. The view follows the end unless the user scrolls up. */
export function LiveLog() {
  const { t } = useTranslation('system-info');
  const { lines, connection, clear } = useLiveLog();
  const [paused, setPaused] = useState<readonly ShownLine[]>();
  const [level, setLevel] = useState<LogLevel>();
  const [keyword, setKeyword] = useState('');
  const shown = (paused ?? lines).filter((line) => matches(line, level, keyword.trim().toLowerCase()));
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1 }}>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        <OutlinedInput
          type="search"
          size="small"
          value={keyword}
          placeholder={t('log.search')}
          inputProps={{ 'aria-label': t('log.search') }}
          onChange={({ target }) => setKeyword(target.value)}
          sx={{ flex: '1 1 200px', maxWidth: 360 }}
        />
        <FilterChip
          label={t('log.level')}
          value={level}
          options={toOptions(levels, (value) => t(`log.levelFrom.${value}`))}
          onChange={(value) => setLevel(logLevel.safeParse(value).data)}
        />
        <ConnectionChip connection={connection} paused={paused !== undefined} />
        <Box sx={{ flexGrow: 1 }} />
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          startIcon={paused === undefined ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
          onClick={() => setPaused(paused === undefined ? lines : undefined)}
        >
          {t(paused === undefined ? 'log.pause' : 'log.goOn')}
        </Button>
        <Button size="small" variant="outlined" color="inherit" onClick={clear}>
          {t('log.clear')}
        </Button>
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          component="a"
          href={logFileUrl}
          download
          startIcon={<IconDownload size={16} />}
        >
          {t('log.download')}
        </Button>
      </Box>
      <Lines lines={shown} />
    </Box>
  );
}

function Lines({ lines }: { lines: readonly ShownLine[] }) {
  const { t } = useTranslation('system-info');
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    if (atEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  });
  return (
    <Box
      ref={box}
      role="log"
      aria-label={t('tab.log')}
      // New lines arrive faster than a screen reader can read them.
      aria-live="off"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
      }}
      sx={{
        height: { xs: 'calc(100vh - 320px)', md: 'calc(100vh - 300px)' },
        minHeight: 240,
        overflow: 'auto',
        p: 1,
        bgcolor: 'background.paper',
        border: 1,
        borderColor: 'divider',
        borderRadius: 1.5,
        fontFamily: monoFont,
        fontSize: '0.75rem',
        lineHeight: 1.6,
      }}
    >
      {lines.length === 0 && <Box sx={{ color: 'text.secondary' }}>{t('log.empty')}</Box>}
      {lines.map((line) => (
        <LogRow key={line.key} shown={line} />
      ))}
    </Box>
  );
}

function ConnectionChip({ connection, paused }: { connection: Connection; paused: boolean }) {
  const { t } = useTranslation('system-info');
  if (paused) return <StatusChip tone="neutral">{t('log.paused')}</StatusChip>;
  const tone = connection === 'live' ? 'success' : connection === 'lost' ? 'warning' : 'neutral';
  return (
    <span aria-live="polite">
      <StatusChip tone={tone}>{t(`log.connection.${connection}`)}</StatusChip>
    </span>
  );
}

/** Returns whether the line matches; a gap of missed lines matches every search. */
function matches(shown: ShownLine, from: LogLevel | undefined, keyword: string): boolean {
  if ('missed' in shown) return true;
  const { level, message, detail } = shown.line;
  if (from !== undefined && levels.indexOf(level) < levels.indexOf(from)) return false;
  return keyword === '' || `${message} ${detail}`.toLowerCase().includes(keyword);
}

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

/** Shows a log line; memoized, because there may be thousands. */
const LogRow = memo(({ shown }: { shown: ShownLine }) => {
  const { t } = useTranslation('system-info');
  if ('missed' in shown) return <Box sx={{ color: 'warning.main' }}>{t('log.missed', { count: shown.missed })}</Box>;
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

/** Log line or a number of missed lines; `key` is a local counter, since a restarted server counts from 1. */
type ShownLine = { key: number } & ({ line: LogLine } | { missed: number });

type Connection = 'connecting' | 'live' | 'lost';

const LINES_MAX = 2_000;
const AGAIN_MS = 2_000;
const SOON_MS = 200;
/** Interval at which new lines are rendered together. */
const DRAW_MS = 100;

/** Returns the server's log from its oldest line on and follows it; reconnects after a failure. */
function useLiveLog(): { lines: readonly ShownLine[]; connection: Connection; clear: () => void } {
  const [lines, setLines] = useState<readonly ShownLine[]>([]);
  const [connection, setConnection] = useState<Connection>('connecting');
  useEffect(() => {
    const gone = new AbortController();
    let fresh: ShownLine[] = [];
    const draw = setInterval(() => {
      if (fresh.length === 0) return;
      const more = fresh;
      fresh = [];
      setLines((before) => [...before, ...more].slice(-LINES_MAX));
    }, DRAW_MS);
    void follow(gone.signal, (line) => fresh.push(line), setConnection);
    return () => {
      gone.abort();
      clearInterval(draw);
    };
  }, []);
  return { lines, connection, clear: () => setLines([]) };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function follow(
  signal: AbortSignal,
  onLine: (line: ShownLine) => void,
  onConnection: (connection: Connection) => void,
): Promise<void> {
  let after = 0;
  let key = 0;
  while (!signal.aborted) {
    try {
      onConnection('live');
      for await (const event of streamLog(after, signal)) {
        key += 1;
        if (event.event === 'missed') onLine({ key, missed: event.count });
        else {
          after = event.line.number;
          onLine({ key, line: event.line });
        }
      }
      // A server that is shutting down ends every stream at once, so a pause prevents a tight loop.
      await pause(SOON_MS);
    } catch {
      if (signal.aborted) return;
      onConnection('lost');
      await pause(AGAIN_MS);
    }
  }
}
