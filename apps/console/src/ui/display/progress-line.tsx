import Box from '@mui/material/Box';
import { keyframes } from '@mui/material/styles';

const slide = keyframes({ from: { transform: 'translateX(-100%)' }, to: { transform: 'translateX(350%)' } });

/** Shows a progress line at the top while a screen is loading. */
export function ProgressLine() {
  return (
    <Box aria-hidden sx={{ position: 'fixed', inset: '0 0 auto', height: 2, zIndex: 'tooltip', overflow: 'hidden' }}>
      <Box sx={{ width: '30%', height: 2, bgcolor: 'primary.main', animation: `${slide} 1.1s linear infinite` }} />
    </Box>
  );
}
