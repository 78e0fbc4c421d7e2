import GlobalStyles from '@mui/material/GlobalStyles';

/**
 * Print styles of the page: white in the dark scheme too, and without the scroll lock of a dialog, which
 * would cut the print after the first sheet.
 */
export const printPageStyles = {
  'html, body': { background: '#ffffff !important', overflow: 'visible !important', height: 'auto !important' },
} as const;

const styles = {
  '@media print': {
    '@page': { margin: '12mm' },
    ...printPageStyles,
    'body > *:not(:has([data-paper]))': { display: 'none !important' },
    'body > :has([data-paper])': { position: 'static !important' },
    'body *': { visibility: 'hidden' },
    '[data-paper], [data-paper] *': {
      visibility: 'visible',
      overflow: 'visible !important',
      color: '#000000 !important',
      background: 'none !important',
    },
    '[data-paper]': {
      position: 'absolute !important',
      inset: '0 0 auto !important',
      width: 'auto !important',
      height: 'auto !important',
      border: '0 !important',
    },
    '[data-paper] :is(button, [role="button"])': { display: 'none !important' },
  },
} as const;

/** Limits printing to elements with `data-paper` while it is mounted: black on white, without buttons. */
export function PrintStyles() {
  return <GlobalStyles styles={styles} />;
}
