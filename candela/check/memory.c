/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory for inputs and outputs, between pages that cannot be touched. What is within the
 * same pages and not of the array holds marks. A touch of a page that must not be touched
 * ends the child, after it has noted whose page it was; but for one case: a page in the
 * middle of an array may be made a trap, which lets another call of the op run while this
 * one stands still just there. So what two calls share shows every time, not now and then. */
#define _GNU_SOURCE /* for ucontext's registers */
#include <candela/check/check-private.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define MARK 0xc9
#define MOST_MEMORIES 64
/* How long the other call may take before the first goes on: it may wait for a lock that the first holds. */
#define STOP_MILLISECONDS 100

static CandelaCheckMemory *memories[MOST_MEMORIES];
static const CandelaCheck *watching;

static struct
{
  guint8 *page; /* NULL: none */
  int protection;
  pthread_t thread;
  sem_t go, done;
  void (*func) (gpointer data);
  gpointer data;
} stop;

static gsize
page_size (void)
{
  static gsize size;

  if (size == 0)
    size = (gsize) sysconf (_SC_PAGESIZE);
  return size;
}

/* Pages for data alone. */
static gsize
inner_bytes (const CandelaCheckMemory *memory)
{
  return memory->n_bytes - 2 * page_size ();
}

void
candela_check_memory_init (CandelaCheckMemory *memory, CandelaDType dtype, gsize size, CandelaCheckPlacement placement,
                           gsize shift, gboolean output, const char *name)
{
  gsize page = page_size (),
        inner = (size + shift + page - 1) / page * page + (placement == CANDELA_CHECK_ACROSS ? page : 0);
  gsize at = shift;

  inner = MAX (inner, page);
  if (placement == CANDELA_CHECK_AT_END)
    at = inner - size;
  else if (placement == CANDELA_CHECK_ACROSS)
    {
      gsize unit = candela_dtype_get_size (dtype), before = size / 2 / unit * unit;

      at = (page - before % page) % page;
    }
  *memory =
    (CandelaCheckMemory){ .n_bytes = inner + 2 * page, .size = size, .output = output, .name = name, .dtype = dtype };
  memory->pages = mmap (NULL, memory->n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory->pages == MAP_FAILED)
    _exit (3);
  memory->data = memory->pages + page + at;
  memset (memory->pages + page, MARK, inner);
  mprotect (memory->pages, page, PROT_NONE);
  mprotect (memory->pages + page + inner, page, PROT_NONE);
  for (guint m = 0; m < MOST_MEMORIES; m++)
    if (memories[m] == NULL)
      {
        memories[m] = memory;
        break;
      }
}

void
candela_check_memory_protect (CandelaCheckMemory *memory)
{
  mprotect (memory->pages + page_size (), inner_bytes (memory), PROT_READ);
}

void
candela_check_memory_clear (CandelaCheckMemory *memory)
{
  for (guint m = 0; m < MOST_MEMORIES; m++)
    if (memories[m] == memory)
      memories[m] = NULL;
  munmap (memory->pages, memory->n_bytes);
}

gboolean
candela_check_memory_find_stray (const CandelaCheckMemory *memory, gssize *at)
{
  const guint8 *first = memory->pages + page_size (), *end = first + inner_bytes (memory);

  for (const guint8 *byte = memory->data + memory->size; byte < end; byte++)
    if (*byte != MARK)
      {
        *at = byte - memory->data;
        return TRUE;
      }
  for (const guint8 *byte = memory->data; byte-- > first;)
    if (*byte != MARK)
      {
        *at = byte - memory->data;
        return TRUE;
      }
  return FALSE;
}

/* ---- Touches ---- */

static gboolean
is_write (const void *context)
{
#if defined(__x86_64__) && defined(REG_ERR)
  return (((const ucontext_t *) context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
  return FALSE;
#endif
}

static void
tell_touch (const CandelaCheckMemory *memory, const guint8 *address, gboolean written)
{
  const char *kind = memory->output ? "output" : "input", *verb = written ? "wrote" : "reached";

  if (address >= memory->data && address < memory->data + memory->size)
    candela_check_fail (watching, CANDELA_CHECK_INPUTS, "it wrote to an input: %s, element %zu", memory->name,
                        (gsize) (address - memory->data) / candela_dtype_get_size (memory->dtype));
  if (address < memory->data)
    candela_check_fail (watching, CANDELA_CHECK_BOUNDS, "it %s before the beginning of %s %s, %zu bytes off", verb,
                        kind, memory->name, (gsize) (memory->data - address));
  candela_check_fail (watching, CANDELA_CHECK_BOUNDS, "it %s behind the end of %s %s, which has %zu bytes, at byte %zu",
                      verb, kind, memory->name, memory->size, (gsize) (address - memory->data));
}

static void
wait_for_other (void)
{
  struct timespec until;

  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_nsec += STOP_MILLISECONDS * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  while (sem_timedwait (&stop.done, &until) != 0 && errno == EINTR)
    ;
}

static void
on_touch (int number, siginfo_t *info, void *context)
{
  const guint8 *address = info->si_addr;

  if (stop.page != NULL && address >= stop.page && address < stop.page + page_size ())
    {
      guint8 *page = stop.page;

      stop.page = NULL;
      sem_post (&stop.go);
      wait_for_other ();
      mprotect (page, page_size (), stop.protection);
      return;
    }
  for (guint m = 0; m < MOST_MEMORIES; m++)
    if (memories[m] != NULL && address >= memories[m]->pages && address < memories[m]->pages + memories[m]->n_bytes)
      tell_touch (memories[m], address, is_write (context));
  candela_check_fail (watching, CANDELA_CHECK_SURVIVAL, "it crashed: signal %d (%s) at address %p", number,
                      g_strsignal (number), info->si_addr);
}

void
candela_check_memory_watch (const CandelaCheck *check)
{
  static guint8 stack[64 * 1024];
  const stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
  struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };

  watching = check;
  action.sa_sigaction = on_touch;
  sigaltstack (&other, NULL);
  sigaction (SIGSEGV, &action, NULL);
  sigaction (SIGBUS, &action, NULL);
}

/* ---- Stopping in the middle ---- */

static void *
run_other (void *unused)
{
  while (sem_wait (&stop.go) != 0)
    ;
  stop.func (stop.data);
  sem_post (&stop.done);
  return unused;
}

gboolean
candela_check_memory_stop_at (CandelaCheckMemory *memory, void (*func) (gpointer data), gpointer data)
{
  gsize page = page_size (), unit = candela_dtype_get_size (memory->dtype);
  gsize at = (gsize) (memory->data - memory->pages) + memory->size / 2 / unit * unit;

  if (memory->size < 2 * unit || at % page != 0)
    return FALSE;
  sem_init (&stop.go, 0, 0);
  sem_init (&stop.done, 0, 0);
  stop.func = func;
  stop.data = data;
  stop.protection = memory->output ? PROT_READ | PROT_WRITE : PROT_READ;
  if (pthread_create (&stop.thread, NULL, run_other, NULL) != 0)
    return FALSE;
  stop.page = memory->pages + at;
  mprotect (stop.page, page, PROT_NONE);
  return TRUE;
}

void
candela_check_memory_end_stop (void)
{
  if (stop.page != NULL)
    {
      mprotect (stop.page, page_size (), stop.protection);
      stop.page = NULL;
      sem_post (&stop.go);
    }
  pthread_join (stop.thread, NULL);
}
