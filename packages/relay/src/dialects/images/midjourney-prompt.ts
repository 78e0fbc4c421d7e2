/** One job for each choice in `{red, blue}`. https://docs.midjourney.com/hc/en-us/articles/32761322355597-Permutations */
const permutations = /[{}]/g;
/**
 * Parameters by which a prompt costs more, or several times, or is drawn faster or slower than it is paid for. A long dash,
 * or one of another script, which a proxy may translate, is as good as two short ones. Each run of dashes is looked at once,
 * however long. https://docs.midjourney.com/hc/en-us/articles/32859204029709-Parameter-List
 */
const paidParameters =
  /(?<![-\u2010-\u2015\u2212\uFE58\uFE63\uFF0D])(?![-\u2010\u2011]\w)[-\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]+(?:(?:fast|relax|turbo|hd|video)\b|(?:q|quality|r|repeat|oref)\b(?:[\s=:]+[^\s=:\u2010-\u2015\u2212\uFE58\uFE63\uFF0D-]\S*)?)/gi;

/** Without what would make its picture dearer than what is ordered, or several; else as it was. */
export function stripPaidParameters(prompt: string): string {
  // With a space in its place, what stood around it makes no parameter together.
  const plain = prompt.replaceAll(permutations, ' ').replaceAll(paidParameters, ' ');
  return plain === prompt ? prompt : plain.split(/\s+/).join(' ').trim();
}
