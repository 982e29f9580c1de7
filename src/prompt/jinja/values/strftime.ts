/** Dates as C and Python print them, in English, from a date's local fields. */

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months =
  'January February March April May June July August September October November December'.split(
    ' ',
  );

const two = (value: number): string => String(value).padStart(2, '0');

function dayOfYear(date: Date): number {
  const start = Date.UTC(date.getFullYear(), 0, 1);
  return (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - start) / 86_400_000 + 1;
}

/** Year and week after ISO 8601. */
function isoWeek(date: Date): { year: number; week: number } {
  const day = (date.getDay() + 6) % 7;
  const thursday = new Date(date.getFullYear(), date.getMonth(), date.getDate() - day + 3);
  return {
    year: thursday.getFullYear(),
    week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1,
  };
}

const hour12 = (date: Date): number => date.getHours() % 12 || 12;
/** Weeks that begin with this weekday (0 = Sunday). */
const weekFrom = (date: Date, first: number): number =>
  Math.floor((dayOfYear(date) + 6 - ((date.getDay() - first + 7) % 7)) / 7);

const directives: ReadonlyMap<string, (date: Date) => string> = new Map<
  string,
  (date: Date) => string
>([
  ['a', (date) => (days[date.getDay()] ?? '').slice(0, 3)],
  ['A', (date) => days[date.getDay()] ?? ''],
  ['b', (date) => (months[date.getMonth()] ?? '').slice(0, 3)],
  ['h', (date) => (months[date.getMonth()] ?? '').slice(0, 3)],
  ['B', (date) => months[date.getMonth()] ?? ''],
  ['c', (date) => strftime(date, '%a %b %e %H:%M:%S %Y')],
  ['C', (date) => two(Math.floor(date.getFullYear() / 100))],
  ['d', (date) => two(date.getDate())],
  ['D', (date) => strftime(date, '%m/%d/%y')],
  ['e', (date) => String(date.getDate()).padStart(2)],
  ['f', (date) => String(date.getMilliseconds() * 1000).padStart(6, '0')],
  ['F', (date) => strftime(date, '%Y-%m-%d')],
  ['g', (date) => two(isoWeek(date).year % 100)],
  ['G', (date) => String(isoWeek(date).year)],
  ['H', (date) => two(date.getHours())],
  ['I', (date) => two(hour12(date))],
  ['j', (date) => String(dayOfYear(date)).padStart(3, '0')],
  ['k', (date) => String(date.getHours()).padStart(2)],
  ['l', (date) => String(hour12(date)).padStart(2)],
  ['m', (date) => two(date.getMonth() + 1)],
  ['M', (date) => two(date.getMinutes())],
  ['n', () => '\n'],
  ['p', (date) => (date.getHours() < 12 ? 'AM' : 'PM')],
  ['P', (date) => (date.getHours() < 12 ? 'am' : 'pm')],
  ['r', (date) => strftime(date, '%I:%M:%S %p')],
  ['R', (date) => strftime(date, '%H:%M')],
  ['s', (date) => String(Math.floor(date.getTime() / 1000))],
  ['S', (date) => two(date.getSeconds())],
  ['t', () => '\t'],
  ['T', (date) => strftime(date, '%H:%M:%S')],
  ['u', (date) => String(date.getDay() || 7)],
  ['U', (date) => two(weekFrom(date, 0))],
  ['V', (date) => two(isoWeek(date).week)],
  ['w', (date) => String(date.getDay())],
  ['W', (date) => two(weekFrom(date, 1))],
  ['x', (date) => strftime(date, '%m/%d/%y')],
  ['X', (date) => strftime(date, '%H:%M:%S')],
  ['y', (date) => two(date.getFullYear() % 100)],
  ['Y', (date) => String(date.getFullYear())],
  // A date without a zone has none to name.
  ['z', () => ''],
  ['Z', () => ''],
  ['%', () => '%'],
]);

/** `%-d` and the like: glibc's flags for the padding. */
function withFlag(text: string, flag: string): string {
  switch (flag) {
    case '-':
      return text.replace(/^[0 ]+(?=.)/, '');
    case '_':
      return text.replace(/^0+(?=.)/, (zeros) => ' '.repeat(zeros.length));
    case '^':
      return text.toUpperCase();
    case '0':
      return text.replace(/^ +/, (spaces) => '0'.repeat(spaces.length));
    default:
      return text;
  }
}

/** What is no directive stays as it is. */
export function strftime(date: Date, format: string): string {
  return format.replaceAll(/%([-_^0#]?)([a-zA-Z%])/g, (whole, flag: string, letter: string) => {
    const directive = directives.get(letter);
    return directive === undefined ? whole : withFlag(directive(date), flag);
  });
}
