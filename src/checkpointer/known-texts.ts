/**
 * What is known of texts that were looked up before: bounded in characters, and empty again when that is too much. The
 * same text object is found without being read.
 */
export class KnownTexts {
  private readonly ids = new Map<string, number>();
  private length = 0;

  constructor(private readonly limit: number) {}

  get(text: string): number | undefined {
    return this.ids.get(text);
  }

  keep(text: string, id: number): void {
    this.length += text.length;
    if (this.length > this.limit) {
      this.clear();
      this.length = text.length;
    }
    this.ids.set(text, id);
  }

  clear(): void {
    this.ids.clear();
    this.length = 0;
  }
}
