export { type PrintedTrouble, readTrouble, readUsage } from './limits.ts';
export { keyOf, type Marker, readMarkers } from './markers.ts';
export { layoutOf, saidRows } from './said.ts';
