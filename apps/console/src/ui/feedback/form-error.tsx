import Box from '@mui/material/Box';

/** Shows why a form was refused, above its button. */
export function FormError({ text }: { text: string }) {
  return (
    <Box role="alert" sx={{ px: 1.5, py: 1, borderRadius: 1, bgcolor: 'error.soft', fontSize: '0.8125rem' }}>
      {text}
    </Box>
  );
}
