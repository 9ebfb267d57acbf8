declare module 'ae-cvss-calculator' {
  interface CvssVector {
    calculateScores(): { overall?: number };
  }
  const calculator: {
    /** Of CVSS 2, 3.0, 3.1 or 4.0; nothing for a text that is none. */
    fromVector(vector: string): CvssVector | null | undefined;
  };
  export default calculator;
}
