import { useTranslation } from 'react-i18next';

const known = [
  'input',
  'cachedRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'audioInput',
  'imageInput',
  'output',
  'reasoning',
  'audioOutput',
  'imageOutput',
  'call',
  'webSearch',
  'mapsGrounding',
  'fileSearch',
  'search',
  'codeExecution',
  'image',
  'second',
  'character',
] as const;

/** A counter of a receipt in words; one that is newer than this console keeps its own name. */
export function useCounterName(): (counter: string) => string {
  const { t } = useTranslation('usage-records');
  return (counter) => {
    const name = known.find((candidate) => candidate === counter);
    return name === undefined ? counter : t(`counter.${name}`);
  };
}
