import Database from "better-sqlite3";

export interface Reservation {
  readonly code: string;
  readonly passenger: string;
  readonly flight: string;
  readonly date: string;
}

export interface Booking {
  /** The airline's own number: two bookings of one wish have two numbers. */
  readonly ticket: number;
  readonly reservation: string;
  readonly flight: string;
  /** What the caller calls this booking; the airline stores it, and does not look at it. */
  readonly reference: string;
}

export type BookingRequest = Omit<Booking, "ticket">;

const TABLES = `
CREATE TABLE IF NOT EXISTS reservations (code TEXT PRIMARY KEY, passenger TEXT, flight TEXT, date TEXT);
CREATE TABLE IF NOT EXISTS bookings (ticket INTEGER PRIMARY KEY, reservation TEXT, flight TEXT, reference TEXT);
CREATE TABLE IF NOT EXISTS raw_calls (number INTEGER PRIMARY KEY, reservation TEXT);
CREATE TABLE IF NOT EXISTS outages (what TEXT PRIMARY KEY);
INSERT OR IGNORE INTO reservations VALUES
  ('QX7M2P', 'Ines Okafor', 'LK 104', '2026-12-03'),
  ('B4T9ZR', 'Omar Lindqvist', 'LK 106', '2026-12-05'),
  ('H2K8WD', 'Vera Castellano', 'LK 102', '2026-12-08'),
  ('H2K8WE', 'Tom Castellano', 'LK 102', '2026-12-08');
`;

/**
 * Larkspur Air, an airline that does not exist. It stands for every system that an agent calls: it counts the calls
 * that reach it, and it does NOT notice when one comes twice.
 */
export class Airline {
  private constructor(private readonly database: Database.Database) {}

  static open(file: string): Airline {
    const database = new Database(file);
    database.exec(TABLES);
    return new Airline(database);
  }

  reservation(code: string): Reservation | undefined {
    return this.database.prepare("SELECT * FROM reservations WHERE code = ?").get(code) as Reservation | undefined;
  }

  /** Books. Called twice, it books twice. */
  book({ reservation, flight, reference }: BookingRequest): Booking {
    this.database.prepare("INSERT INTO raw_calls (reservation) VALUES (?)").run(reservation);
    const { lastInsertRowid } = this.database
      .prepare("INSERT INTO bookings (reservation, flight, reference) VALUES (?, ?, ?)")
      .run(reservation, flight, reference);
    return { ticket: Number(lastInsertRowid), reservation, flight, reference };
  }

  /** The booking that a caller made under this reference. */
  findBooking(reference: string): Booking | undefined {
    if (this.database.prepare("SELECT 1 FROM outages WHERE what = 'search'").get() !== undefined) {
      throw new Error("Larkspur Air's booking search is down for maintenance.");
    }
    return this.database.prepare("SELECT * FROM bookings WHERE reference = ?").get(reference) as Booking | undefined;
  }

  /** From now on nobody can look a booking up; booking itself works. */
  takeSearchDown(): void {
    this.database.prepare("INSERT OR IGNORE INTO outages VALUES ('search')").run();
  }

  restoreSearch(): void {
    this.database.prepare("DELETE FROM outages").run();
  }

  /** What the airline's own staff see, whatever is down for others. */
  bookingsOf(reservation: string): Booking[] {
    return this.database.prepare("SELECT * FROM bookings WHERE reservation = ?").all(reservation) as Booking[];
  }

  /** How many booking calls for a reservation reached the airline. */
  rawCallsFor(reservation: string): number {
    return this.database.prepare("SELECT * FROM raw_calls WHERE reservation = ?").all(reservation).length;
  }

  close(): void {
    this.database.close();
  }
}
