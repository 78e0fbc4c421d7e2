import GlobalStyles from '@mui/material/GlobalStyles';

/** Also where the screen is dark; an open dialog keeps the page from scrolling, and so from having a second sheet. */
export const printPageStyles = {
  'html, body': {
    background: '#ffffff !important',
    overflow: 'visible !important',
    height: 'auto !important',
  },
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

/** Limits printing, while it is rendered, to elements marked with `data-paper`: black on white, without buttons. */
export function PrintStyles() {
  return <GlobalStyles styles={styles} />;
}
