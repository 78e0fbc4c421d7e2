/** Points of A4 paper. */
export const MARGIN = 48;
export const REGULAR = 'regular';
export const BOLD = 'bold';
export const TEXT_COLOUR = '#14181f';
export const SECONDARY_COLOUR = '#545d6b';
