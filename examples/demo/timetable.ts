export interface Flight {
  readonly number: string;
  readonly date: string;
  readonly departs: string;
  readonly arrives: string;
  readonly seats: number;
  readonly fare: string;
  readonly conditions: string;
}

const CONDITIONS = [
  "One change free of charge until two hours before departure; after that the fare is lost. One cabin bag.",
  "Changes against the difference in fare. One cabin bag and one checked bag of 23 kg. Seat choice included.",
  "Refundable until departure, less a fee of 40. Two checked bags of 23 kg each, lounge and early boarding.",
] as const;

const FLIGHTS_A_DAY = 24;

/** The day's flights from Port Amber to Sandhaven. A date always has the same ones, and no two dates are alike. */
export function timetable(date: string): Flight[] {
  const day = Math.floor(Date.parse(date) / 86_400_000);
  return Array.from({ length: FLIGHTS_A_DAY }, (_, index) => {
    const chance = (day * 7919 + index * 104_729) % 9973;
    const departs = 6 * 60 + index * 40 + (chance % 12) * 5;
    return {
      number: `LK ${102 + index * 2}`,
      date,
      departs: clock(departs),
      arrives: clock(departs + 95 + (chance % 4) * 5),
      seats: chance % 43,
      fare: `${89 + (chance % 160)}.00`,
      conditions: CONDITIONS[chance % CONDITIONS.length] ?? "",
    };
  });
}

function clock(minutes: number): string {
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
