/*
 * Corrects what Scala Native 0.5 reports about classes without traits
 * (docs/decisions/0022-native-classes-and-memory.md).
 * Whether an object has a trait is looked up in its class's table of traits, in the one entry where that trait would
 * be. The table of a class without traits has no entries, and is read all the same: what happens to follow it in the
 * program's constants decides, and if that is the table of another class, the object is taken for an instance of its
 * traits. Compiler and linker determine which classes are affected. So before anything else runs, each such class gets
 * a table with one entry that matches no trait.
 *
 * It costs one pass over the program's initialised data, and a copied page for each page with a corrected class: only
 * those whose table would match some trait, as constants stay shared otherwise. Nothing else of the program is
 * changed, nothing is allocated, and no thread exists yet.
 */
#if !defined(__ELF__) || !defined(__linux__)

int needletail_traits_classes(void) { return 0; }

#else

#define _GNU_SOURCE
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The same on all platforms and with all collectors: an entry of a table of traits. */
struct entry {
    int32_t trait; /* negative where there is one */
    void *methods;
};

/* What the compiler writes for each class, in RuntimeTypeInformation.scala; for a trait only the first part. */
struct class {
    const void *class; /* of java.lang.Class, as every class is one */
#ifdef SCALANATIVE_MULTITHREADING_ENABLED
    const void *lock;
#endif
    int32_t id; /* negative for a trait */
    int32_t trait_count;
    const void *const *traits;
    const void *const *name; /* a string, and so begins with the class of strings */
    int32_t size;
    int32_t last_id;
    const int32_t *references;
    int32_t mask; /* of a trait's number, for its entry; negative where the table is searched */
    const struct entry *table;
    const struct class *superclass;
};

extern const struct class needletail_class_of_classes __asm__("_SM15java.lang.ClassG4type");
extern const struct class needletail_class_of_strings __asm__("_SM16java.lang.StringG4type");

void needletail_notice(void); /* needletail_notice.c */

static const struct entry none = {0, NULL};

/* The results, for the suite that checks whether this analysis still applies. */
static struct {
    int classes; /* that extend no trait */
    int mended;  /* those whose table would have answered for some trait */
} found;

/* The part of the program with these classes, and where it is mapped. */
struct image {
    uintptr_t first;
    uintptr_t end;
    const ElfW(Phdr) *headers;
    uintptr_t base;
    int count;
};

static bool within(const struct image *image, const void *address, size_t size) {
    uintptr_t at = (uintptr_t)address;
    return at >= image->first && at <= image->end && size <= image->end - at && at % sizeof(void *) == 0;
}

static int find(struct dl_phdr_info *info, size_t size, void *result) {
    (void)size;
    struct image *image = result;
    image->first = UINTPTR_MAX;
    image->end = 0;
    image->headers = info->dlpi_phdr;
    image->base = info->dlpi_addr;
    image->count = info->dlpi_phnum;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD) continue;
        uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (start < image->first) image->first = start;
        if (start + part->p_memsz > image->end) image->end = start + part->p_memsz;
    }
    return within(image, &needletail_class_of_classes, sizeof(struct class));
}

/*
 * Whether it is a class without traits. Only classes begin with the class of classes; the class's name is checked too.
 */
static bool traitless(const struct image *image, const struct class *class) {
    return class->class == &needletail_class_of_classes && class->id >= 0 && class->trait_count == 0 &&
           class->mask == 0 && within(image, class->name, sizeof(void *)) &&
           *class->name == &needletail_class_of_strings;
}

/* With the highest priority of a constructor: others that run before main may be written in Scala. */
__attribute__((constructor(101), used)) static void needletail_traits_mend(void) {
    /* What sbt-needletail looks for in a program: symbols may have been stripped. */
    static const char mark[] = "needletail_traits_mend";
    __asm__ volatile("" : : "r"(mark));
    needletail_notice();
    struct image image;
    if (!dl_iterate_phdr(find, &image)) return;
    for (int i = 0; i < image.count; i++) {
        const ElfW(Phdr) *part = &image.headers[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_W)) continue;
        uintptr_t start = image.base + part->p_vaddr;
        uintptr_t end = start + part->p_filesz;
        start = (start + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
        for (; end - start >= sizeof(struct class) && start < end; start += sizeof(void *)) {
            struct class *class = (struct class *)start;
            if (!traitless(&image, class)) continue;
            found.classes++;
            if (within(&image, class->table, sizeof(struct entry)) && class->table->trait >= 0) continue;
            class->table = &none;
            found.mended++;
        }
    }
}

/* Called by needletail.async.RuntimeFix, so that all of this is linked. */
int needletail_traits_classes(void) { return found.classes; }

/* For a debugger. */
__attribute__((used)) int needletail_traits_mended(void) { return found.mended; }

#endif
