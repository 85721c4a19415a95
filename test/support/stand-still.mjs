// Loaded into a service before it starts: at SIGUSR2 its event loop stands still for ever.
process.on('SIGUSR2', function standStill() {
  for (;;);
})
