import type { Dimension, NamedValue } from '@switchyard/contract/usage/analytics';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

/** Returns a function that names a value on the screen: its own name, or a translation for fixed values and none. */
export function useValueName(): (dimension: Dimension, value: NamedValue) => string {
  const { t } = useTranslation('analytics');
  return useCallback(
    (dimension, { key, name }) => {
      if (dimension === 'status') return t(key === 'error' ? 'value.error' : 'value.answered');
      if (dimension === 'stream') return t(key === 'true' ? 'value.streamed' : 'value.whole');
      if (key === '' || key === '0') return t(`none.${dimension}`);
      return name === key && /^\d+$/.test(key) && dimension !== 'model' ? `#${key}` : name;
    },
    [t],
  );
}
